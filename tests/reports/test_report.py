"""te.report: one self-contained page, with hostile names escaped, nothing from the network, and no rows inside."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import trueerror as te

HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'
VOID = {"meta", "input", "img", "br", "link"}


class Reader(HTMLParser):
    """Reads a page as a browser would: which elements, which ids, which links, and whether tags match."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data)

    def of(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def page(source, tmp_path, **options) -> str:
    made = te.report(source, tmp_path / "report.html", **options).read_text(encoding="utf-8")
    return made.replace("\u00a0", " ")


def scored(models: int = 3, rows: int = 200, seed: int = 5, name: str = "model {}"):
    rng = np.random.default_rng(seed)
    truth = (rng.random(rows) < 0.3).astype(int)
    scores = {
        name.format(i): 1 / (1 + np.exp(-(rng.normal(size=rows) + (1 + i / models) * (2 * truth - 1))))
        for i in range(models)
    }
    return te.predictions(truth, scores=scores)


def test_the_verdict_comes_first_then_what_was_read(tmp_path):
    text = Reader(page(scored(), tmp_path)).text
    order = [
        "Too close to call",
        "200 rows, ",
        "Leaderboard",
        "Which one to run",
        "Findings",
        "The models",
    ]
    order += ["All pairs", "Confusion matrices", "Calibration", "ROC beside precision", "Gains and lift"]
    order += ["Decision curve and cost curve", "Misses against false alarms", "Paragraph for a paper"]
    body = text[text.index("Light / dark") :]
    contents = body.index("Versions, seed, command")
    places = [body.index(order[0]), body.index(order[1]), *(body.index(words, contents) for words in order[2:])]
    assert places == sorted(places)


def test_one_model_is_not_asked_to_be_chosen(tmp_path):
    text = Reader(page(scored(1), tmp_path)).text
    assert "How good is model 0, really?" in text
    assert "At which threshold to run it" in text
    assert "Which one" not in text
    head = re.search(r'<h2 class="headline clear">.*model 0 is right on \d\d\.\d % .*</h2>', page(scored(1), tmp_path))
    assert head is not None
    assert "Always answering" not in head[0]


def test_graded_rows_have_no_confusion_matrix_and_no_second_table_of_the_same(tmp_path):
    rng = np.random.default_rng(2)
    text = Reader(page(te.graded({"a": rng.integers(0, 2, 60), "b": rng.integers(0, 2, 60)}), tmp_path)).text
    assert "Leaderboard" in text
    assert "Confusion matrices" not in text
    assert "The models" not in text


def test_a_column_that_was_recognised_can_be_declined(tmp_path):
    rows = [f"{i // 4},{i % 2},{0.3 + 0.4 * (i % 2) - 0.01 * (i % 7)},{i % 3 / 2}" for i in range(80)]
    file = tmp_path / "x.csv"
    file.write_text("\n".join(["patient,truth,a,b", *rows]))
    words = "Column 'patient' is used as cluster (by its name). To change it: --cluster none or cluster=False."
    assert words in Reader(page(file, tmp_path, positive=1)).text
    for said in ({"cluster": "patient"}, {"cluster": False}):
        assert words not in Reader(page(file, tmp_path, positive=1, **said)).text


def test_paper_says_what_it_leaves_off(tmp_path):
    text = Reader(page(scored(), tmp_path)).text
    assert "On screen, not on paper: Scores by class, gains and lift, decision curve and cost curve, misses" in text
    assert "not on paper" not in Reader(page(te.interval(7, 9), tmp_path)).text


def test_tags_match_ids_are_unique_and_links_lead_somewhere(tmp_path):
    read = Reader(page(scored(), tmp_path, command="trueerror report x.csv"))
    assert read.open == []
    ids = [a["id"] for _, a in read.tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for a in read.of("a")} <= set(ids)
    assert {a["for"] for a in read.of("label")} <= set(ids)
    assert {a["aria-labelledby"] for a in read.of("section")} <= set(ids)


def test_what_can_be_reached_or_seen_has_a_name(tmp_path):
    read = Reader(page(scored(), tmp_path))
    assert read.tags[0] == ("html", {"lang": "en"})
    labels = {a["for"] for a in read.of("label")}
    assert all(a["id"] in labels or a.get("aria-label") for a in read.of("input"))
    assert all(a.get("aria-label") for _, a in read.tags if a.get("role") == "region")
    assert not read.of("img")
    plots = [a for a in read.of("svg") if a.get("aria-hidden") != "true" and a.get("class") != "inner"]
    assert plots
    assert all(a.get("role") == "img" for a in plots)
    # Each has a name of its own before anything else.
    after = [read.tags[i + 1][0] for i, (_, a) in enumerate(read.tags) if a in plots]
    assert set(after) == {"title"}


def test_nothing_is_fetched_and_only_one_script_may_run(tmp_path):
    text = page(scored(), tmp_path)
    read = Reader(text)
    policy = read.of("meta")[2]["content"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "img-src" not in policy
    assert "unsafe" not in policy
    assert [a.get("type") for a in read.of("script")] == ["application/octet-stream"] * 2 + [None]
    assert not read.of("link")
    assert not read.of("iframe")
    assert not re.findall(r"@import|url\(|innerHTML|eval\(", text)
    assert not [a for _, a in read.tags if "style" in a or any(name.startswith("on") for name in a)]
    assert all(a["href"].startswith("#") for a in read.of("a"))
    assert not [a for _, a in read.tags if "src" in a]


@pytest.mark.parametrize("name", [HOSTILE, "javascript:alert(1)", "'\"&<>`${x}", "</script><script>alert(3)</script>"])
def test_hostile_names_are_text(name, tmp_path):
    truth = np.array([name, "b"] * 30)
    scores = np.random.default_rng(1).random(60)
    given = te.predictions(truth, scores={name: scores, "m": scores[::-1]}, positive=name)
    read = Reader(page(given, tmp_path, title=name, command=name))
    assert len(read.of("script")) == 3
    assert not read.of("img")
    assert name in read.text


def test_without_scores_there_is_no_explorer(tmp_path):
    truth = np.arange(60) % 3
    read = Reader(page(te.predictions(truth, {"a": truth, "b": truth[::-1]}), tmp_path))
    assert "explore" not in [a.get("id") for _, a in read.tags]
    assert "Confusion matrices" in read.text


def test_a_model_called_like_a_trivial_classifier_has_a_page_without_curves(tmp_path):
    read = Reader(page(scored(2, name="Always{}").select("Always0"), tmp_path))
    assert "explore" in [a.get("id") for _, a in read.tags]
    rng = np.random.default_rng(2)
    named = te.predictions([0, 1] * 20, scores={"AlwaysNeg": rng.random(40)})
    assert "No curves: 'AlwaysNeg' is the name of a trivial classifier" in Reader(page(named, tmp_path)).text


@pytest.mark.parametrize("classes", [5, 40])
def test_many_classes(classes, tmp_path):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, classes, 800)
    calls = {f"m{i}": np.where(rng.random(800) < 0.7, truth, rng.integers(0, classes, 800)) for i in range(2)}
    text = Reader(page(te.predictions(truth, calls), tmp_path)).text
    # Of many classes it is a map, with one list of what is confused most.
    assert ("share of the truth’s row" in text) == (classes == 40)
    assert text.count("Most confused") == 2
    for name in calls:
        assert f"{name}: rows true, columns predicted" in text
        assert f"{name}: The 12 classes of 40 with the lowest F1" in text or classes == 5


def test_evaluations_comparisons_and_rankings_too(tmp_path):
    given = scored()
    assert "Highest accuracy" in page(te.evaluate(given), tmp_path)
    assert "is right on" in page(te.evaluate(given.select("model 1")), tmp_path)
    assert "difference from model" in page(te.compare(given, metric="auc"), tmp_path)
    assert "Compared with model 1" in page(te.compare(given, reference="model 1", margin=0.02), tmp_path)
    assert "Run model" in page(te.compare(given, cost_fn=5), tmp_path)
    scores = {
        "a": [0.9, 0.8, 0.85, 0.9, 0.7, 0.88],
        "b": [0.8, 0.7, 0.8, 0.82, 0.6, 0.8],
        "c": [0.7, 0.75, 0.6, 0.8, 0.5, 0.7],
    }
    assert "Mean ranks" in page(te.rank(scores), tmp_path)
    assert "Mean ranks" in page(te.significance.nemenyi(np.column_stack(list(scores.values()))), tmp_path)


def test_an_evaluation_that_was_loaded_has_no_rows_and_a_page(tmp_path):
    loaded = te.load(te.evaluate(scored()).to_json())
    read = Reader(page(loaded, tmp_path))
    assert "explore" not in [a.get("id") for _, a in read.tags]
    assert "model 2" in read.text


def test_any_other_result_by_its_words_picture_and_table(tmp_path):
    one = te.interval(750, 1000)
    assert "proportion 0.750 [0.722, 0.776]" in Reader(page(one, tmp_path)).text
    beneath = Reader(page(te.compare(scored()), tmp_path, also={"A <share>": one, "Another": te.roc([0, 1], [0, 1])}))
    assert "A <share>" in beneath.text
    assert "Another" in beneath.text
    assert "also-2" in [a.get("id") for _, a in beneath.tags]
    with pytest.raises(ValueError, match="shows results, not int"):
        te.report(one, tmp_path / "x.html", also=3)


def test_sizes_do_not_grow_with_rows_and_stay_small_with_models(tmp_path):
    sizes = {n: len(page(scored(3, rows=n), tmp_path).encode()) for n in (300, 100_000)}
    assert sizes[100_000] < 2 * sizes[300]
    many = page(scored(40, rows=500, name="{} " + "a long name of a model " * 5), tmp_path)
    assert len(many.encode()) < 2_000_000
    blocks = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', many, re.DOTALL)
    assert sum(len(b.encode()) for b in blocks) < 360_000


def test_what_is_undefined_has_its_reason(tmp_path):
    rng = np.random.default_rng(3)
    given = te.predictions([1] * 30, scores={"a": rng.random(30), "b": rng.random(30)}, labels=[0, 1], positive=1)
    text = Reader(page(given, tmp_path)).text
    assert "AUC: undefined, " in text
    assert text.count("AUC: undefined, ") == 1


def test_weights_and_slices(tmp_path):
    rng = np.random.default_rng(7)
    truth, scores = rng.integers(0, 2, 120), rng.random(120)
    weighted = te.predictions(truth, scores={"a": scores}, weights=rng.random(120) + 0.5, weights_kind="sampling")
    assert "explore" in [a.get("id") for _, a in Reader(page(weighted, tmp_path)).tags]
    two = te.predictions(truth, scores={"a": scores, "b": scores}, weights=rng.random(120), weights_kind="sampling")
    assert "Not compared" not in Reader(page(two, tmp_path)).text
    sliced = te.predictions(truth, scores={"a": scores}, by=np.repeat(["x", "<y>"], 60))
    assert "<y>" in Reader(page(sliced, tmp_path)).text


def test_bad_targets_are_refused_before_working(tmp_path):
    with pytest.raises(ValueError, match=r"ends in \.html"):
        te.report(scored(), tmp_path / "report.pdf")
    with pytest.raises(ValueError, match="no folder"):
        te.report(scored(), tmp_path / "nowhere" / "report.html")
    with pytest.raises(ValueError, match="not of int"):
        te.report(3, tmp_path / "report.html")


def test_files_and_tables_are_read_as_te_read_does(tmp_path, monkeypatch):
    table = {
        "when": ["no", "yes"] * 30,
        "a": ["no", "yes"] * 25 + ["yes", "no"] * 5,
        "b": ["no", "yes"] * 20 + ["yes", "no"] * 10,
        "c": ["no"] * 60,
    }
    # Errors that stand together in a file would be a finding.
    table = {name: [column[7 * i % 60] for i in range(60)] for name, column in table.items()}
    file = tmp_path / "rows.csv"
    file.write_text("\n".join([",".join(table), *(",".join(row) for row in zip(*table.values(), strict=True))]))
    named = {"truth": "when", "models": ["a", "b"], "positive": "yes"}
    read = te.read(file, **named)
    once = page(read, tmp_path)
    assert "60 rows, 30 yes (positive)" in Reader(once).text
    by_path = page(str(file), tmp_path, **named)
    assert page(file, tmp_path, **named) == by_path == page(read, tmp_path, file="rows.csv")
    assert by_path.replace("rows.csv · ", "").replace(" · rows.csv", "") == once
    without_data = re.compile(r'<script type="application/octet-stream".*?</script>')
    assert without_data.sub("", page(table, tmp_path, **named)) == without_data.sub("", once)
    assert "60 rows, 30 yes (positive)" in Reader(page([file], tmp_path, **named)).text
    assert page(te.read(file, truth="when", models=["a", "b"]), tmp_path, positive="yes") == once
    monkeypatch.chdir(tmp_path)
    assert str(te.report("rows.csv", **named)) == "report.html"


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        (lambda: scored(), {"truth": "y"}, "truth= says how to read .* these predictions were read already"),
        (lambda: te.compare(scored()), {"positive": 1}, "positive= says how to read .* judged already"),
        (lambda: {"truth": [0, 1], "a": [0, 1]}, {"postive": 1}, "no option postive=; did you mean positive="),
        (lambda: "no such file.csv", {}, "there is no file"),
    ],
)
def test_reading_options_where_nothing_is_read_are_refused(source, options, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        te.report(source(), tmp_path / "report.html", **options)


def test_asked_for_by_metric_reference_margin_and_cost(tmp_path):
    given = scored()
    text = Reader(page(given, tmp_path, metric="f1", confidence=0.9)).text
    assert "In brackets: 90 % intervals. model F1 misses false alarms accuracy AUC" in text
    assert "G-mean; higher is better" in Reader(page(given, tmp_path, metric="g_mean")).text
    text = Reader(page(given, tmp_path, reference="model 0", margin=0.05)).text
    assert "Compared with model 0" in text
    assert "differences of up to 5.0 points do not matter" in text
    text = Reader(page(given, tmp_path, cost_fn=10, prior=0.1)).text
    assert "≈ Run model" in text
    assert "a false alarm costing 1 and a miss 10" in text
    assert "Cost per 100 rows; lower is better" in text
    assert "difference from model 2" in text
    assert "accuracy" not in text[text.index("The models") : text.index("Confusion matrices")]
    assert "cost per 100 ranking (AUC)" in text
    # One unit on a page, and one rounding.
    dear = Reader(page(given, tmp_path, cost_fp=30)).text
    found = re.search(r"TE210 warning (model \d): cost per 100 rows (\S+) is not (?:clearly )?below", dear)
    assert found is not None
    assert f"{found[1]} " in dear
    assert f" {float(found[2]):g} [" in dear[dear.index("At ") :]
    assert "expected cost 0." not in dear
    one = given.select("model 1")
    for wrong in ({"reference": "model 1"}, {"margin": 0.1}):
        with pytest.raises(ValueError, match="only one"):
            te.report(one, tmp_path / "x.html", **wrong)
    with pytest.raises(ValueError, match="judge by expected cost"):
        te.report(given, tmp_path / "x.html", cost_fn=10, metric="auc")
    with pytest.raises(ValueError, match=r"metric= cannot be used on a comparison"):
        te.report(te.compare(given), tmp_path / "x.html", metric="auc")
    with pytest.raises(ValueError, match="confidence"):
        te.report(given, tmp_path / "x.html", confidence=95)


def test_findings_can_be_silenced(tmp_path):
    given = scored()
    codes = te.evaluate(given).findings.codes
    assert codes
    text = page(given, tmp_path)
    assert f">{codes[0]}<" in text
    assert f">{codes[0]}<" not in page(given, tmp_path, ignore=[codes[0]])


def test_each_class_against_the_rest_where_every_class_has_a_score(tmp_path):
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 4, 200)
    scores = rng.dirichlet(np.ones(4), 200) + 0.3 * np.eye(4)[truth]
    given = te.predictions(truth, scores={"m": scores / scores.sum(axis=1, keepdims=True)})
    text = Reader(page(given, tmp_path)).text
    assert "ROC curves of each class against the rest" in text
    for label in range(4):
        area = te.roc(given, model="m", positive=label).auc().estimate
        assert f"{label}: AUC {area:.3f}" in text


def test_scores_that_are_no_probabilities_have_no_calibration_and_say_so(tmp_path):
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 2, 100)
    text = Reader(page(te.predictions(truth, scores={"m": rng.normal(size=100) + truth}), tmp_path)).text
    assert "Not shown:" in text
    assert "Precision and recall" in text


def test_costs_of_labels_by_slice_are_those_of_the_two_errors(tmp_path):
    p = scored(2)
    called = {m: (p.source.fetched().columns[m].scores >= 0.5).astype(int) for m in p.models}
    truth = np.asarray(p.labels)[p.source.fetched().truth]
    labels = te.predictions(truth, called, by=np.array(["east", "west"])[np.arange(p.n) % 2], positive=1)
    named, priced = (
        Reader(page(labels, tmp_path, **costs)).text.partition("Expected cost by slice; in brackets")[2][:300]
        for costs in ({"cost_fn": 5}, {"costs": [[0, 1], [5, 0]]})
    )
    assert "undefined" not in named
    assert named == priced != ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, " The verdict at the top is at the file's own mix, 29.5 % positives, at equal costs."),
        ({"metric": "f1"}, " The verdict at the top is at the file's own mix, 29.5 % positives."),
        ({"metric": "auc"}, ""),
        ({"metric": "balanced_accuracy"}, ""),
        ({"costs": [[0, 1], [5, 0]]}, " The verdict at the top is at the file's own mix, 29.5 % positives"),
    ],
)
@pytest.mark.parametrize("models", [1, 2])
def test_the_mix_and_the_costs_of_the_verdict_are_said_where_it_depends_on_them(options, said, models, tmp_path):
    made = Reader(page(scored(models), tmp_path, **options)).text
    lead = made.partition("and on what a miss and a false alarm cost.")[2]
    assert lead.startswith(said or " ")
    assert ("The verdict at the top" in lead) == bool(said)
