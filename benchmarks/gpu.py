"""Rows on a GPU: the same answers as in memory, and how long they take beside torchmetrics on the same device.

`make gpu` (or `python -m benchmarks.gpu`) on a machine with an NVIDIA GPU, torch and CuPy writes benchmarks/GPU.md.
Times are the best of three after one run that loads and compiles; each waits until the device is done.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import trueerror as te
from trueerror.kernels import _device as device

PAGE = Path(__file__).parent / "GPU.md"


def drawn(torch: Any, n: int, device: str) -> dict[str, Any]:
    """Truth, labels and scores of two models, made where they are counted, in pieces that need little memory."""
    random = torch.Generator(device=device).manual_seed(0)
    truth = torch.empty(n, dtype=torch.int64, device=device)
    made: dict[str, Any] = {"truth": truth}
    for name in ("a", "b"):
        made[name] = torch.empty(n, dtype=torch.int64, device=device)
        made[f"{name}_score"] = torch.empty(n, dtype=torch.float32, device=device)
    step = 1 << 26
    for start in range(0, n, step):
        part = slice(start, min(start + step, n))
        size = part.stop - part.start
        y = (torch.rand(size, generator=random, device=device) < 0.3).long()
        truth[part] = y
        for name, pull in (("a", 1.0), ("b", 0.9)):
            noise = torch.randn(size, generator=random, device=device)
            scores = torch.sigmoid(pull * (2 * y - 1) + noise)
            made[f"{name}_score"][part] = scores
            made[name][part] = (scores >= 0.5).long()
    return made


def same(a: Any, b: Any) -> None:
    """Two results with equal words and whole numbers, and floats equal to 1e-12."""
    for one, two in zip(a.records(), b.records(), strict=True):
        for key, value in one.items():
            if isinstance(value, float):
                np.testing.assert_allclose(value, two[key], rtol=1e-12, atol=1e-14, err_msg=key)
            else:
                assert value == two[key], (key, value, two[key])


def questions(rows: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    """What is asked of trueerror."""
    truth = rows["truth"]
    labels = {name: rows[name] for name in ("a", "b")}
    scores = {name: rows[f"{name}_score"] for name in ("a", "b")}
    return {
        "evaluate: all count metrics with intervals": lambda: te.evaluate(truth, rows["a"]),
        "compare by accuracy (McNemar, interval)": lambda: te.compare(truth, labels),
        "AUC with interval (DeLong, logit)": lambda: te.evaluate(truth, scores=rows["a_score"], metrics=["auc"]),
        "compare by AUC (paired DeLong)": lambda: te.compare(truth, scores=scores, metric="auc"),
        "Brier score and log loss with intervals": lambda: te.evaluate(
            truth, scores=rows["a_score"], metrics=["brier", "log_loss"]
        ),
    }


def resampling(rows: dict[str, Any]) -> Callable[[], Any]:
    """A thousand bootstrap replicates of the area."""
    options: dict[str, Any] = {"metrics": ["auc"], "method": "bootstrap", "replicates": 1000, "rng": 0}
    return lambda: te.evaluate(rows["truth"], scores=rows["a_score"], **options)


def peers(rows: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    """The nearest that torchmetrics has: numbers without an interval."""
    try:
        from torchmetrics.functional import classification as tm
    except ImportError:
        return {}
    names = list(questions(rows))
    return {
        names[0]: lambda: tm.binary_confusion_matrix(rows["a"], rows["truth"]),
        names[2]: lambda: tm.binary_auroc(rows["a_score"], rows["truth"]),
    }


def best(torch: Any, call: Callable[[], Any], rounds: int = 3) -> float:
    """Seconds of the quickest of several calls, the device's work included."""
    call()
    found = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        started = time.perf_counter()
        call()
        torch.cuda.synchronize()
        found.append(time.perf_counter() - started)
    return min(found)


def cleared(torch: Any) -> None:
    """Free what both libraries keep for later."""
    import cupy

    torch.cuda.empty_cache()
    cupy.get_default_memory_pool().free_all_blocks()


def main() -> None:
    """Check and measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, nargs="*", default=[1e7, 1e8, 1e9])
    parser.add_argument("--out", type=Path, default=PAGE)
    asked = parser.parse_args()
    try:
        import cupy
        import torch
    except ImportError as error:
        sys.exit(f"make gpu needs torch and CuPy on a machine with an NVIDIA GPU: {error}")
    if not torch.cuda.is_available():
        sys.exit("make gpu needs an NVIDIA GPU: torch sees none")
    checked(torch, cupy)
    measured: list[dict[str, Any]] = []
    for n in map(int, asked.rows):
        rows = drawn(torch, n, "cuda")
        theirs = peers(rows)
        for name, ask in questions(rows).items():
            ours = best(torch, ask)
            cleared(torch)
            try:
                other = best(torch, theirs[name], 2) if name in theirs else None
            except torch.OutOfMemoryError:
                other = None
            cleared(torch)
            measured.append({"rows": n, "question": name, "seconds": ours, "torchmetrics": other})
            print(json.dumps(measured[-1]), flush=True)
        if n == 10_000_000:
            seconds = best(torch, resampling(rows), 2)
            measured.append(
                {"rows": n, "question": "AUC, 1,000 bootstrap replicates", "seconds": seconds, "torchmetrics": None}
            )
            print(json.dumps(measured[-1]), flush=True)
        del rows, theirs
        cleared(torch)
    asked.out.write_text(page(measured, torch, cupy), encoding="utf-8")


def checked(torch: Any, cupy: Any, n: int = 300_000) -> None:
    """Torch and CuPy arrays on the device give what NumPy arrays give."""
    rows = drawn(torch, n, "cuda")
    kinds = {
        "torch": rows,
        "cupy": {k: cupy.from_dlpack(v) for k, v in rows.items()},
        "coarse": {k: v.half().float() if v.is_floating_point() else v.to(torch.uint8) for k, v in rows.items()},
        "double": {k: (6 * v.double() - 3) if v.is_floating_point() else v.bool() for k, v in rows.items()},
    }
    for kind, columns in kinds.items():
        host = {k: (v.get() if kind == "cupy" else v.cpu().numpy()) for k, v in columns.items()}
        for (name, ask), (_, reference) in zip(questions(columns).items(), questions(host).items(), strict=True):
            if kind == "double" and "Brier" in name:
                continue  # scores from −3 to 3 are no probabilities
            first, second = ask(), ask()
            same(first, reference())
            same(first, second)
        print(f"{kind}: the same answers as NumPy", flush=True)
    sorted_alike(cupy)
    resampled = [
        te.evaluate(r["truth"], scores=r["a_score"], metrics=["auc"], method="bootstrap", replicates=200, rng=1)
        for r in (rows, {k: v.cpu().numpy() for k, v in rows.items()})
    ]
    same(*resampled)
    print("bootstrap: the same replicates as NumPy", flush=True)


def sorted_alike(cupy: Any) -> None:
    """Sorted rows of awkward scores are read off alike: one row, one class, long ties, both signs, tiny ones."""
    random = np.random.default_rng(0)
    for n in (1, 2, 255, 257, 100_003):
        up = random.random(n) < 0.3
        drawn = random.standard_normal(n)
        layouts = {
            "distinct": drawn, "all tied": np.zeros(n), "two": np.sign(drawn), "tenths": drawn.round(1),
            "long ties": np.where(drawn < 1, 0.5, drawn), "tiny": drawn * 1e-42, "wide": drawn * 10.0 ** (30 * drawn),
            "ends": np.where(drawn > 2, np.inf, np.where(drawn < -2, -np.inf, drawn)),
        }  # fmt: skip
        for name, scores in layouts.items():
            for kind in (np.float32, np.float64):
                with np.errstate(over="ignore"):
                    column = scores.astype(kind)
                for classes in (up, ~up, np.ones(n, dtype=bool)):
                    here = device.sorted_scores(column, classes)
                    np.testing.assert_array_equal(device.doubles(column), device.doubles(cupy.asarray(column)).get())
                    there = device.sorted_scores(cupy.asarray(column), cupy.asarray(classes))
                    for a, b in zip(
                        (*here.groups, *here.thinned(64)), (*there.groups, *there.thinned(64)), strict=True
                    ):
                        np.testing.assert_array_equal(a, device.to_host(b), err_msg=f"{name} {n}")
                    assert (here.n_distinct, here.positives) == (there.n_distinct, there.positives), (name, n)
                    np.testing.assert_allclose(there.placement_sums(), here.placement_sums(), rtol=1e-11, err_msg=name)
                    assert here.placement_sums()[0] == there.placement_sums()[0], (name, n)
                    placed = device.placements(cupy.asarray(column), cupy.asarray(classes), there)
                    np.testing.assert_array_equal(device.placements(column, classes), device.to_host(placed), name)
    print("sorted rows: the same sums, groups, bins and placements as NumPy", flush=True)


def page(measured: list[dict[str, Any]], torch: Any, cupy: Any) -> str:
    """The figures as a table."""
    try:
        from torchmetrics import __version__ as metrics
    except ImportError:
        metrics = "not installed"
    lines = [
        "# On a GPU",
        "",
        f"{torch.cuda.get_device_name()}, torch {torch.__version__}, CuPy {cupy.__version__}, torchmetrics {metrics}, "
        f"NumPy {np.__version__}. Made by `make gpu`, which first checks that torch and CuPy arrays give what NumPy "
        "arrays give (whole numbers to the bit, floats to 1e-12). Times in ms, the best of three; torchmetrics gives "
        "the number without an interval or a test.",
        "",
        "| rows | question | trueerror | torchmetrics | ratio |",
        "|---:|---|---:|---:|---:|",
    ]
    for row in measured:
        other = row["torchmetrics"]
        peer = "" if other is None else f"{1000 * other:,.1f}"
        ratio = "" if other is None else f"{other / row['seconds']:.1f}"
        lines.append(f"| {row['rows']:,} | {row['question']} | {1000 * row['seconds']:,.1f} | {peer} | {ratio} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
