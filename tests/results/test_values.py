"""Results are small, frozen, plain, comparable and can be written down and read back."""

import math
import pickle

import numpy as np
import pytest

import trueerror as te
from trueerror.results import Contrast, Interval, Posterior, Test


def example(**changes):
    fields = {"name": "accuracy", "estimate": 0.75, "low": 0.65, "high": 0.83, "method": "wilson", "n": 80}
    return Interval(**(fields | changes))


EXAMPLES = [
    example(),
    example(estimate=math.nan, low=math.nan, high=math.nan, note="there are no rows"),
    example(low=-math.inf, high=math.inf),
    Contrast(
        name="accuracy", estimate=0.1, low=0.0, high=0.2, method="wald", df=(1.0, 5.0), p_value=0.03, p_adjusted=None
    ),
    Contrast(name="accuracy", estimate=0.1, low=0.0, high=0.2, method="wald", df=9, p_value=0.03, p_adjusted=0.06),
    Test(name="Cochran's Q", statistic=4.0, df=2, p_value=0.13, method="cochran-q", n=30),
    Posterior(left=0.1, rope=0.2, right=0.7, rope_width=0.01),
]


@pytest.mark.parametrize("result", EXAMPLES, ids=lambda r: type(r).__name__)
class TestEveryResult:
    def test_json_comes_back_equal(self, result):
        assert te.load(result.to_json()) == result

    def test_json_file_comes_back_equal(self, result, tmp_path):
        assert te.load(result.save(tmp_path / "r.json")) == result

    def test_pickles(self, result):
        assert pickle.loads(pickle.dumps(result)) == result

    def test_is_frozen(self, result):
        with pytest.raises(AttributeError):
            result.method = "other"

    def test_is_hashable_and_equal_to_itself(self, result):
        assert len({result, te.load(result.to_json())}) == 1

    def test_writes_itself(self, result):
        assert str(result)
        assert "<" in result._repr_html_()
        assert result.to_markdown().count("|") > 4
        assert r"\toprule" in result.to_latex()
        assert result.records()[0]["method"] == result.method

    def test_frames(self, result):
        assert list(result.frame("pandas").columns) == list(result.records()[0])
        assert result.frame("polars").shape[0] == 1
        assert result.frame("pyarrow").num_rows == 1


def test_float_is_the_estimate():
    assert float(example()) == 0.75


def test_numbers_are_plain_floats():
    made = example(estimate=np.float64(0.75), low=np.float32(0.5), n=np.int64(80))
    assert type(made.estimate) is float
    assert type(made.low) is float
    assert type(made.n) is int


def test_nan_equals_nan():
    assert example(estimate=math.nan) == example(estimate=math.nan)
    assert example(estimate=math.nan) != example()


def test_other_types_are_not_equal():
    assert example() != 0.75
    assert (example() == "accuracy") is False


def test_json_has_no_bare_nan_or_infinity():
    text = example(estimate=math.nan, low=-math.inf, high=math.inf).to_json()
    assert '"estimate": null' in text
    assert '"low": "-Infinity"' in text
    assert "NaN" not in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not valid JSON at line 1"),
        ('{"schema": "other/1"}', "not a saved trueerror result"),
        ('{"schema": "trueerror/1", "type": "os.system"}', "unknown type 'os.system'"),
        (
            '{"schema": "trueerror/1", "type": "Interval", "estimate": 1, "low": 0, "high": 2, "evil": 3}',
            "unknown fields: evil",
        ),
        ('{"schema": "trueerror/1", "type": "Interval"}', "damaged"),
    ],
)
def test_a_bad_file_gets_a_clear_error(text, message):
    with pytest.raises(ValueError, match=message):
        te.load(text)


def test_a_missing_file_is_named():
    with pytest.raises(ValueError, match=r"nowhere\.json"):
        te.load("nowhere.json")


def test_save_knows_its_endings(tmp_path):
    for ending in ("json", "md", "tex", "txt", "csv"):
        assert example().save(tmp_path / f"r.{ending}").read_text()
    with pytest.raises(ValueError, match=r"cannot save as '\.docx'"):
        example().save(tmp_path / "r.docx")


def test_an_unknown_frame_library_is_refused():
    with pytest.raises(ValueError, match="backend='excel' is not known"):
        example().frame("excel")


def test_explain_names_formula_and_source():
    text = example().explain()
    assert "Wilson 1927" in text
    assert repr(text) == str(text)


def test_words():
    assert str(example()) == "accuracy 0.750 [0.650, 0.830], 95 % wilson, n = 80"
    gone = str(example(estimate=math.nan, low=math.nan, high=math.nan, note="there are no rows"))
    assert gone == "accuracy undefined no interval, 95 % wilson, n = 80 (there are no rows)"


def test_a_posterior_that_is_a_point_says_so():
    made = te.significance.bayes_correlated_t([0.1, 0.1, 0.1], rho=0.1, rope=0.01)
    assert "the differences do not vary" in str(made)
    assert "(" not in str(Posterior(left=0.1, rope=0.2, right=0.7)).split("first better")[1]
