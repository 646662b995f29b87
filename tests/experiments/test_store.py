"""The run store: resume, refuse, repair."""

import json

import numpy as np
import pytest
from simple_learners import Broken, Busy, KillsOnce, Loud, Means, Watched

import trueerror as te
from trueerror.experiments._records import (
    MARK,
    NO_LABELS,
    LocalFolder,
    Outcome,
    Task,
    Writer,
    decode,
    encode,
    frame,
    frames,
    read_manifest,
    read_outcomes,
)
from trueerror.experiments._store import Store, from_parquet, to_parquet
from trueerror.inputs._options import InputError


def same(first, second):
    return all(
        a.same_result(b)
        for key in first.outcomes
        for a, b in zip(first.outcomes[key], second.outcomes[key], strict=True)
    )


def outcomes():
    rng = np.random.Generator(np.random.Philox(1))
    return [
        Outcome(task=Task(0, 0, 0), status="done", labels=np.array([1, 0, 1], "<i4"), scores=rng.uniform(size=(3, 2))),
        Outcome(task=Task(0, 1, 0), status="failed", labels=NO_LABELS, error="oops \udcff", trace="line\nline é"),
        Outcome(task=Task(0, 0, 1), status="done", labels=np.array([2], "<i4"), warnings=("a", "b\n")),
        Outcome(task=Task(1, 0, 0), status="timeout", labels=NO_LABELS, limit=0.5, fit_seconds=0.1 + 0.2),
        Outcome(task=Task(1, 1, 7), status="done", labels=np.array([0, 1], "<i4"),
                scores=np.array([[np.inf, -np.inf, 5e-324], [0.1, -0.0, 1e308]])),
    ]  # fmt: skip


def equal(a: Outcome, b: Outcome) -> bool:
    def error(o):
        return o.error.encode("utf-8", "replace").decode()

    return (
        (a.task, a.status, a.warnings, error(a), a.trace, a.limit)
        == (b.task, b.status, b.warnings, error(b), b.trace, b.limit)
        and (a.fit_seconds, a.predict_seconds) == (b.fit_seconds, b.predict_seconds)
        and a.labels.tobytes() == b.labels.tobytes()
        and (a.scores is None) == (b.scores is None)
        and (a.scores is None or (a.scores.shape == b.scores.shape and a.scores.tobytes() == b.scores.tobytes()))
    )


def test_records_and_parquet_keep_every_bit():
    for o in outcomes():
        assert equal(o, decode(encode(o)))
    assert all(equal(a, b) for a, b in zip(outcomes(), from_parquet(to_parquet(outcomes())), strict=True))
    failed = [o for o in outcomes() if o.status != "done"]
    assert all(equal(a, b) for a, b in zip(failed, from_parquet(to_parquet(failed)), strict=True))


def test_any_damaged_byte_is_found_and_the_other_records_stand():
    log = b"".join(frame(encode(o)) for o in outcomes())
    for at in range(0, len(log), 7):
        bad = bytearray(log)
        bad[at] ^= 0x10
        found, damaged = read_outcomes(bytes(bad))
        assert damaged == 1
        assert len(found) == 4
        assert all(any(equal(o, known) for known in outcomes()) for o in found)


def test_a_torn_end_loses_one_record():
    log = b"".join(frame(encode(o)) for o in outcomes())
    for cut in range(1, len(frame(encode(outcomes()[-1])))):
        found, damaged = read_outcomes(log[:-cut])
        assert (len(found), damaged) == (4, 1)


def test_a_record_that_holds_the_mark_is_read_whole():
    content = b"x" + MARK + b"y" + frame(b"z")
    assert list(frames(frame(content) + frame(b"next"))) == [content, b"next"]


def test_a_store_is_resumed_without_fitting_again(rows, tmp_path):
    store, seen = tmp_path / "run", tmp_path / "seen"
    seen.mkdir()
    learners = {"watched": Watched(str(seen)), "loud": Loud(), "broken": Broken()}
    first = te.experiment(learners, rows, plan=5, store=store)
    assert len(list(seen.iterdir())) == 5
    again = te.experiment(learners, rows, plan=5, store=store, jobs=2)
    assert len(list(seen.iterdir())) == 5
    assert again.resumed == 15
    assert same(first, again)
    assert first.times == again.times
    assert first.warnings == again.warnings
    assert first.failures == again.failures
    assert same(first, te.experiment(learners, rows, plan=5))
    names = sorted(p.name for p in store.iterdir())
    assert names[0] == ".lock"
    assert names[1] == "manifest.json"
    assert len(names) == 3
    assert names[2].startswith("part-000001-")


def test_parquet_in_the_store_is_for_everyone(rows, tmp_path):
    import duckdb

    te.experiment({"means": Means()}, rows, plan=5, store=tmp_path)
    (part,) = tmp_path.glob("*.parquet")
    table = duckdb.sql(f"SELECT split, status, len(labels), len(scores) FROM '{part}' ORDER BY split").fetchall()
    assert table == [(i, "done", 18, 36) for i in range(5)]


def test_learners_can_be_added(rows, tmp_path):
    te.experiment({"b": Means(), "a": Means(3.0)}, rows, plan=3, store=tmp_path)
    more = te.experiment({"new": Loud(), "a": Means(3.0)}, rows, plan=3, store=tmp_path)
    assert more.resumed == 3
    assert same(more, te.experiment({"new": Loud(), "a": Means(3.0)}, rows, plan=3))
    names = [item["name"] for item in json.loads((tmp_path / "manifest.json").read_text())["learners"]]
    assert names == ["b", "a", "new"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"plan": 4}, r"another plan: KFold\(k=3, repeats=1, stratify=True\), not KFold\(k=4"),
        ({"rng": 1}, "seed 0, not 1"),
        ({"balance": "over"}, "balance=None, not 'over'"),
        ({"data": "other"}, "other rows of data set 'data'"),
        ({"data": "named"}, "other data sets: data, not named"),
        ({"learners": {"means": Means(3.0)}}, "a learner 'means' with other settings"),
    ],
)
def test_other_work_is_refused(rows, tmp_path, change, message):
    te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)
    before = sorted((p.name, p.read_bytes()) for p in tmp_path.iterdir())
    X, y = rows
    shifted = X.copy()
    shifted[17, 1] += 1e-9
    given = {"learners": {"means": Means()}, "data": rows, "plan": 3} | change
    given["data"] = {"other": (shifted, y), "named": {"named": rows}}.get(change.get("data", ""), rows)
    with pytest.raises(InputError, match=message):
        te.experiment(given.pop("learners"), given.pop("data"), store=tmp_path, **given)
    assert before == sorted((p.name, p.read_bytes()) for p in tmp_path.iterdir())


def test_functions_without_a_name_are_known_by_what_they_do(rows, tmp_path):
    te.experiment({"f": Means(power=2.0, random_state=lambda: 1)}, rows, plan=3, store=tmp_path)
    assert te.experiment({"f": Means(2.0, random_state=lambda: 1)}, rows, plan=3, store=tmp_path).resumed == 3
    with pytest.raises(InputError, match="a learner 'f' with other settings"):
        te.experiment({"f": Means(2.0, random_state=lambda: 2)}, rows, plan=3, store=tmp_path)


def test_other_versions_are_told(rows, tmp_path, caplog):
    te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)
    path = tmp_path / "manifest.json"
    manifest = json.loads(path.read_text())
    assert manifest["versions"]["numpy"] == np.__version__
    assert te.experiment({"means": Means()}, rows, plan=3, store=tmp_path).resumed == 3
    assert caplog.text == ""
    manifest["versions"] |= {"numpy": "1.0", "gone": "2.0"}
    path.write_text(json.dumps(manifest))
    assert te.experiment({"means": Means()}, rows, plan=3, store=tmp_path).resumed == 3
    assert f"other versions (numpy 1.0 then, {np.__version__} now)" in caplog.text
    # Stores from before versions were kept.
    del manifest["versions"]
    path.write_text(json.dumps(manifest))
    assert te.experiment({"means": Means()}, rows, plan=3, store=tmp_path).resumed == 3


def test_a_folder_of_something_else_is_refused(rows, tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match=r"holds other files \('thesis.tex'\)"):
        te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)
    with pytest.raises(InputError, match="is a file; give a folder"):
        te.experiment({"means": Means()}, rows, plan=3, store=tmp_path / "thesis.tex")


@pytest.mark.parametrize(
    ("text", "message"),
    [('{"format": 9, "trueerror": "7.0"}', "has format 9"), ("{", "is damaged"), ("[]", "is damaged")],
)
def test_manifests_of_other_kinds_are_refused(rows, tmp_path, text, message):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=message):
        te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)


def test_two_runs_at_once_are_refused(rows, tmp_path):
    te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)
    manifest_of = read_manifest((tmp_path / "manifest.json").read_bytes(), "")
    held = Store(tmp_path, manifest_of)
    with pytest.raises(InputError, match="another run is using the store"):
        te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)
    held.close()
    te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)


def test_a_damaged_part_is_done_again(rows, tmp_path, caplog):
    first = te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)
    (part,) = tmp_path.glob("*.parquet")
    content = bytearray(part.read_bytes())
    content[len(content) // 3] ^= 1
    part.write_bytes(content)
    again = te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)
    assert again.resumed == 0
    assert "is damaged: its tasks are done again" in caplog.text
    assert same(first, again)
    assert te.experiment({"means": Means()}, rows, plan=3, store=tmp_path).resumed == 3


def test_a_damaged_record_in_a_log_is_done_again(rows, tmp_path):
    first = te.experiment({"means": Means()}, rows, plan=5, store=tmp_path)
    (part,) = tmp_path.glob("*.parquet")
    part.unlink()
    writer = Writer(str(tmp_path))
    for outcome in first.outcomes["data", "means"]:
        writer.write(outcome)
    writer.close()
    (log,) = tmp_path.glob("*.tel")
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 1
    log.write_bytes(content)
    again = te.experiment({"means": Means()}, rows, plan=5, store=tmp_path)
    assert again.resumed == 4
    assert same(first, again)
    assert not list(tmp_path.glob("*.tel"))


def test_timeouts_are_done_again_only_with_more_time(rows, tmp_path):
    def go(timeout):
        return te.experiment({"busy": Busy()}, rows, plan=te.Holdout(), store=tmp_path, timeout=timeout)

    assert go(0.1).failures[0].error == "stopped after 0.1 seconds"
    assert go(0.1).resumed == 1
    assert go(0.05).resumed == 1
    longer = go(0.3)
    assert longer.resumed == 0
    assert longer.failures[0].error == "stopped after 0.3 seconds"
    assert go(0.3).resumed == 1


def test_failed_fits_are_done_again_when_asked_for(rows, tmp_path):
    def go(**more):
        learners = {"once": KillsOnce(str(tmp_path / "mark"), power=2.0), "means": Means()}
        return te.experiment(learners, rows, plan=3, store=tmp_path / "run", **more)

    # Without the folder for its mark every fit fails; with it, the second time round none does.
    assert len(go().failures) == 3
    (tmp_path / "mark").mkdir()
    (tmp_path / "mark" / "killed").touch()
    assert len(go().failures) == 3
    mended = go(retry=True)
    assert (mended.resumed, len(mended.failures)) == (3, 0)
    assert go().resumed == 6
    assert go(retry=True).resumed == 6


def test_long_runs_are_compacted_on_the_way(rows, tmp_path, monkeypatch):
    monkeypatch.setattr("trueerror.experiments._backends.ROUND", 4)
    run = te.experiment({"means": Means(), "sharp": Means(3.0)}, rows, plan=5, store=tmp_path)
    (part,) = tmp_path.glob("*.parquet")
    assert part.name.startswith("part-000003-")
    assert same(run, te.experiment({"means": Means(), "sharp": Means(3.0)}, rows, plan=5))


class Dies(Exception):
    """The process is killed here."""


@pytest.mark.parametrize("step", range(6))
def test_dying_at_any_step_of_compaction_loses_nothing(rows, tmp_path, monkeypatch, step):
    learners = {"means": Means(), "sharp": Means(3.0)}
    monkeypatch.setattr("trueerror.experiments._backends.ROUND", 4)
    steps = 0

    def counted(method):
        def call(self, *given):
            nonlocal steps
            if steps == step:
                raise Dies
            steps += 1
            return method(self, *given)

        return call

    with monkeypatch.context() as dying:
        for name in ("write", "delete"):
            dying.setattr(LocalFolder, name, counted(getattr(LocalFolder, name)))
        with pytest.raises(Dies):
            te.experiment(learners, rows, plan=5, store=tmp_path)
    again = te.experiment(learners, rows, plan=5, store=tmp_path)
    # The steps are: manifest, first part, its log, second part, its log, the first part.
    assert again.resumed == [0, 4, 4, 8, 8, 8][step]
    assert same(again, te.experiment(learners, rows, plan=5))
    assert te.experiment(learners, rows, plan=5, store=tmp_path).resumed == 10


def test_a_folder_as_a_url(rows, tmp_path):
    pytest.importorskip("fsspec")
    first = te.experiment({"means": Means()}, rows, plan=5, store=f"file://{tmp_path}/run", jobs=2)
    (part,) = (tmp_path / "run").glob("*.parquet")
    assert sorted(p.name for p in (tmp_path / "run").iterdir()) == ["manifest.json", part.name]
    # The same folder by its path.
    again = te.experiment({"means": Means()}, rows, plan=5, store=tmp_path / "run")
    assert again.resumed == 5
    assert same(first, again)


def test_a_url_by_fsspec(rows):
    pytest.importorskip("fsspec")
    # Memory that no other process sees: this process records what its workers found.
    first = te.experiment({"means": Means()}, rows, plan=5, store="memory://runs/one", jobs=2)
    again = te.experiment({"means": Means()}, rows, plan=5, store="memory://runs/one")
    assert again.resumed == 5
    assert same(first, again)
    with pytest.raises(InputError, match="cannot be opened"):
        te.experiment({"means": Means()}, rows, plan=5, store="nosuch://x")
