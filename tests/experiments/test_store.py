"""The run store: resume, refuse, repair."""

import json
import sqlite3
import subprocess
import sys

import numpy as np
import pytest
from simple_learners import Broken, Busy, KillsOnce, Loud, Means, Watched

import trueerror as te
from trueerror.experiments._store import (
    NAME,
    NO_LABELS,
    Manifest,
    Outcome,
    RemoteFolder,
    Store,
    Task,
    from_row,
    to_row,
)
from trueerror.inputs._options import InputError

MANIFEST = Manifest(seed=0, plan={"plan": "KFold"}, plan_fingerprint="", data=(), learners=())


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


def filled(folder):
    """A closed store with all kinds of outcomes, in one file."""
    store = Store(folder, MANIFEST)
    for o in outcomes():
        store.write(o)
    store.close()
    return folder / NAME


def loaded(folder):
    store = Store(folder, MANIFEST)
    try:
        return store.load(), store.damaged
    finally:
        store.close()


def in_table(path, *statements):
    """Change the database of a store behind its back."""
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def test_rows_keep_every_bit(tmp_path):
    for o in outcomes():
        assert equal(o, from_row(to_row(o)))
    filled(tmp_path)
    found, damaged = loaded(tmp_path)
    assert damaged == 0
    assert len(found) == 5
    assert all(equal(o, found[o.task]) for o in outcomes())


def test_no_damaged_byte_gives_a_wrong_outcome(tmp_path):
    content = filled(tmp_path).read_bytes()
    known = {o.task: o for o in outcomes()}
    told = 0
    for at in range(0, len(content), 31):
        bad = bytearray(content)
        bad[at] ^= 0x10
        (tmp_path / NAME).write_bytes(bad)
        try:
            found, damaged = loaded(tmp_path)
        except InputError:
            told += 1
            continue
        told += damaged > 0
        assert len(found) + damaged == 5
        assert all(equal(o, known[o.task]) for o in found.values())
    assert told > 10


def test_a_torn_file_is_told(tmp_path):
    content = filled(tmp_path).read_bytes()
    for cut in range(1, len(content), 1999):
        (tmp_path / NAME).write_bytes(content[:-cut])
        with pytest.raises(InputError, match="is damaged or no SQLite database"):
            loaded(tmp_path)


@pytest.mark.parametrize("column", ["status", "labels", "scores", "warnings", "error", "fit_seconds", "score_columns"])
@pytest.mark.parametrize("value", ["NULL", "'x'", "7", "x'ff'", "-1.5"])
def test_a_tampered_row_is_done_again(tmp_path, column, value):
    in_table(filled(tmp_path), f"UPDATE outcomes SET {column} = {value} WHERE split = 7")
    found, damaged = loaded(tmp_path)
    assert (len(found), damaged) == (4, 1)
    assert loaded(tmp_path)[1] == 0


def test_rows_of_another_shape_are_damaged_even_with_the_right_checksum():
    from trueerror.experiments._store import _checksum

    *head, labels, scores, _ = to_row(outcomes()[0])
    for place, value in ((3, "won"), (4, "soon"), (7, "{"), (7, "1"), (10, 3)):
        other = tuple(value if i == place else x for i, x in enumerate(head))
        with pytest.raises((ValueError, TypeError)):
            from_row((*other, labels, scores, _checksum(other, labels, scores)))
    with pytest.raises(ValueError, match="buffer size"):
        from_row((*head, labels[:-1], scores, _checksum(tuple(head), labels[:-1], scores)))


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
    assert sorted(p.name for p in store.iterdir()) == [".lock", NAME]


def test_the_database_is_for_everyone(rows, tmp_path):
    te.experiment({"means": Means()}, rows, plan=5, store=tmp_path)
    database = sqlite3.connect(tmp_path / NAME)
    table = database.execute(
        "SELECT split, status, length(labels) / 4, length(scores) / 8 FROM outcomes ORDER BY split"
    )
    assert table.fetchall() == [(i, "done", 18, 36) for i in range(5)]
    ((labels,), *_) = database.execute("SELECT labels FROM outcomes")
    assert set(np.frombuffer(labels, "<i4").tolist()) <= {0, 1}
    database.close()


def manifest_in(folder):
    database = sqlite3.connect(folder / NAME)
    ((content,),) = database.execute("SELECT content FROM manifest")
    database.close()
    return json.loads(content)


def change_manifest(folder, content):
    database = sqlite3.connect(folder / NAME)
    database.execute("UPDATE manifest SET content = ?", (content,))
    database.commit()
    database.close()


def test_learners_can_be_added(rows, tmp_path):
    te.experiment({"b": Means(), "a": Means(3.0)}, rows, plan=3, store=tmp_path)
    more = te.experiment({"new": Loud(), "a": Means(3.0)}, rows, plan=3, store=tmp_path)
    assert more.resumed == 3
    assert same(more, te.experiment({"new": Loud(), "a": Means(3.0)}, rows, plan=3))
    names = [item["name"] for item in manifest_in(tmp_path)["learners"]]
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
    manifest = manifest_in(tmp_path)
    assert manifest["versions"]["numpy"] == np.__version__
    assert te.experiment({"means": Means()}, rows, plan=3, store=tmp_path).resumed == 3
    assert caplog.text == ""
    manifest["versions"] |= {"numpy": "1.0", "gone": "2.0"}
    change_manifest(tmp_path, json.dumps(manifest))
    assert te.experiment({"means": Means()}, rows, plan=3, store=tmp_path).resumed == 3
    assert f"other versions (numpy 1.0 then, {np.__version__} now)" in caplog.text
    # Versions need not be there.
    del manifest["versions"]
    change_manifest(tmp_path, json.dumps(manifest))
    assert te.experiment({"means": Means()}, rows, plan=3, store=tmp_path).resumed == 3


def test_a_folder_of_something_else_is_refused(rows, tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match=r"holds other files \('thesis.tex'\)"):
        te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)
    with pytest.raises(InputError, match="is a file; give a folder"):
        te.experiment({"means": Means()}, rows, plan=3, store=tmp_path / "thesis.tex")


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"data": [], "learners": [], "other": 1}'])
def test_damaged_manifests_are_refused(rows, tmp_path, text):
    te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)
    change_manifest(tmp_path, text)
    with pytest.raises(InputError, match="the manifest of the store"):
        te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("PRAGMA user_version = 9", "has format 9, but this version of trueerror knows format 2"),
        ("PRAGMA application_id = 7", "is a database of something else"),
        ("CREATE TABLE more (x)", "is damaged or no SQLite database .it has other tables."),
        ("CREATE TRIGGER t AFTER INSERT ON outcomes BEGIN DELETE FROM manifest; END", "it has other tables"),
        ("DELETE FROM manifest", "the manifest of the store .* is damaged"),
    ],
)
def test_databases_of_other_kinds_are_refused(rows, tmp_path, statement, message):
    te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)
    in_table(tmp_path / NAME, statement)
    with pytest.raises(InputError, match=message):
        te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)


def test_what_is_no_store_of_ours_is_refused(rows, tmp_path):
    (tmp_path / NAME).write_text("not a database, " * 1000)
    with pytest.raises(InputError, match="is damaged or no SQLite database"):
        te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)
    (tmp_path / NAME).unlink()
    in_table(tmp_path / NAME, "CREATE TABLE cheese (x)")
    with pytest.raises(InputError, match="is a database of something else"):
        te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)
    old = tmp_path / "old"
    old.mkdir()
    (old / "manifest.json").write_text('{"format": 1}')
    with pytest.raises(InputError, match="has an older format"):
        te.experiment({"means": Means()}, rows, plan=3, store=old)


def test_two_runs_at_once_are_refused(rows, tmp_path):
    te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)
    held = Store(tmp_path, Manifest.from_json(json.dumps(manifest_in(tmp_path))))
    with pytest.raises(InputError, match="another run is using the store"):
        te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)
    held.close()
    te.experiment({"means": Means()}, rows, plan=3, store=tmp_path)


def test_two_processes_at_once_are_refused(tmp_path):
    held = Store(tmp_path, MANIFEST)
    code = (
        "import sys; from trueerror.experiments._store import *\n"
        "Store(sys.argv[1], Manifest(seed=0, plan={'plan': 'KFold'}, plan_fingerprint='', data=(), learners=()))"
    )
    call = [sys.executable, "-c", code, str(tmp_path)]
    refused = subprocess.run(call, capture_output=True, text=True, check=False)
    assert "another run is using the store" in refused.stderr
    held.close()
    assert subprocess.run(call, check=False).returncode == 0


def test_workers_write_at_the_same_time(tmp_path):
    store = Store(tmp_path, MANIFEST)
    code = (
        "import sys; from trueerror.experiments._store import *\n"
        "writer = open_writer(sys.argv[1])\n"
        "for i in range(200):\n"
        "    writer.write(Outcome(task=Task(0, int(sys.argv[2]), i), status='done', labels=NO_LABELS))"
    )
    workers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(i)]) for i in range(3)]
    assert [w.wait() for w in workers] == [0, 0, 0]
    assert sorted(store.load()) == [Task(0, i, j) for i in range(3) for j in range(200)]
    store.close()


def test_damaged_rows_are_done_again(rows, tmp_path, caplog):
    first = te.experiment({"means": Means()}, rows, plan=5, store=tmp_path)
    in_table(tmp_path / NAME, "UPDATE outcomes SET scores = zeroblob(length(scores)) WHERE split IN (1, 3)")
    again = te.experiment({"means": Means()}, rows, plan=5, store=tmp_path)
    assert again.resumed == 3
    assert "2 damaged rows in the store" in caplog.text
    assert same(first, again)
    assert te.experiment({"means": Means()}, rows, plan=5, store=tmp_path).resumed == 5


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


class Dies(Exception):
    """The process is killed here."""


@pytest.mark.parametrize("step", range(10))
def test_dying_at_any_write_loses_nothing_that_was_written(rows, tmp_path, monkeypatch, step):
    learners = {"means": Means(), "sharp": Means(3.0)}
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
        dying.setattr(Store, "write", counted(Store.write))
        with pytest.raises(Dies):
            te.experiment(learners, rows, plan=5, store=tmp_path)
    again = te.experiment(learners, rows, plan=5, store=tmp_path)
    assert again.resumed == step
    assert same(again, te.experiment(learners, rows, plan=5))
    assert te.experiment(learners, rows, plan=5, store=tmp_path).resumed == 10


@pytest.mark.parametrize("step", range(8))
def test_dying_at_any_step_at_a_url_loses_nothing(rows, tmp_path, monkeypatch, step):
    pytest.importorskip("fsspec")
    steps = 0

    def counted(method):
        def call(self, *given):
            nonlocal steps
            if steps == step:
                raise Dies
            steps += 1
            return method(self, *given)

        return call

    place = f"file://{tmp_path}/run"
    with monkeypatch.context() as dying:
        for name in ("write", "delete"):
            dying.setattr(RemoteFolder, name, counted(getattr(RemoteFolder, name)))
        with pytest.raises(Dies):
            te.experiment({"means": Means()}, rows, plan=3, store=place)
    again = te.experiment({"means": Means()}, rows, plan=3, store=place)
    # The steps are: the new database, three outcomes, the database with them, and their objects deleted.
    assert again.resumed == [0, 0, 1, 2, 3, 3, 3, 3][step]
    assert same(again, te.experiment({"means": Means()}, rows, plan=3))
    assert te.experiment({"means": Means()}, rows, plan=3, store=place).resumed == 3
    assert [p.name for p in (tmp_path / "run").iterdir()] == [NAME]


def test_a_damaged_object_at_a_url_is_done_again(rows, tmp_path, monkeypatch, caplog):
    pytest.importorskip("fsspec")
    place = f"file://{tmp_path}"
    with monkeypatch.context() as dying:
        dying.setattr(Store, "_upload", lambda self: (self._pieces and 1 / 0) or RemoteFolder.write(
            self._remote, NAME, self._database.serialize()))  # fmt: skip
        with pytest.raises(ZeroDivisionError):
            te.experiment({"means": Means()}, rows, plan=3, store=place)
    pieces = sorted(tmp_path.glob("outcome-*"))
    assert len(pieces) == 3
    pieces[0].write_bytes(b"no database")
    assert te.experiment({"means": Means()}, rows, plan=3, store=place).resumed == 2
    assert "is damaged: its fit is done again" in caplog.text
    assert [p.name for p in tmp_path.iterdir()] == [NAME]


def test_a_folder_as_a_url(rows, tmp_path):
    pytest.importorskip("fsspec")
    first = te.experiment({"means": Means()}, rows, plan=5, store=f"file://{tmp_path}/run", jobs=2)
    assert [p.name for p in (tmp_path / "run").iterdir()] == [NAME]
    # The same folder by its path.
    again = te.experiment({"means": Means()}, rows, plan=5, store=tmp_path / "run")
    assert again.resumed == 5
    assert same(first, again)
    # And as a URL again, after it was used in place.
    assert te.experiment({"means": Means()}, rows, plan=5, store=f"file://{tmp_path}/run").resumed == 5


def test_a_url_by_fsspec(rows):
    pytest.importorskip("fsspec")
    # Memory that no other process sees: this process records what its workers found.
    first = te.experiment({"means": Means()}, rows, plan=5, store="memory://runs/one", jobs=2)
    again = te.experiment({"means": Means()}, rows, plan=5, store="memory://runs/one")
    assert again.resumed == 5
    assert same(first, again)
    with pytest.raises(InputError, match="cannot be opened"):
        te.experiment({"means": Means()}, rows, plan=5, store="nosuch://x")


class StoppedOnce(Means):
    """Ctrl-C comes while it is fitted for the first time."""

    pressed = False

    def fit(self, X, y):
        if not StoppedOnce.pressed:
            StoppedOnce.pressed = True
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_ctrl_c_says_how_the_store_goes_on(rows, tmp_path):
    learners, kept = {"means": Means(), "stopped": StoppedOnce()}, tmp_path / "kept"
    StoppedOnce.pressed = False
    with pytest.raises(KeyboardInterrupt) as caught:
        te.experiment(learners, rows, plan=3, jobs=1, store=kept)
    said = str(caught.value)
    assert "kept in" in said
    assert f"te.experiment(..., store='{kept}')" in said
    assert "\n" not in said
    run = te.experiment(learners, rows, plan=3, jobs=1, store=kept)
    assert run.resumed >= 1
    assert not run.failures
    StoppedOnce.pressed = False
    with pytest.raises(KeyboardInterrupt, match="no fit is kept"):
        te.experiment(learners, rows, plan=3, jobs=1)
