"""The report as people see it: pages of every kind, at three widths, light and dark, and on paper.

`make screenshots` writes them to a folder, with a table of their lengths and sizes, and fails where a page is wider
than the screen, complains, or takes too much paper; `--keep` renews the first screens in `docs/pictures/reports/`,
which a page of the site shows. Data are made up here from a seed, so that the pictures are the same each time.
"""

from __future__ import annotations

import argparse
import base64
import io
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import trueerror as te

WIDTHS = (1440, 1024, 390)
SCHEMES = ("light", "dark")
# The pictures of the docs: so much of each page, and so many sheets of paper.
FIRST = {1440: 1000, 1024: 1000, 390: 844}
SHEETS = 4
KEPT = Path(__file__).parents[1] / "pictures" / "reports"
# On A4 four models take four sheets; no page takes more than these.
MOST_SHEETS = 7
LONG = "gradient-boosted-trees_depth{}_learning-rate0.05_subsample0.8_features-engineered_2026-10-31"
READY = """
const done = arguments[0], root = document.documentElement;
const look = () => ("ready" in root.dataset ? done() : setTimeout(look, 5));
look();
"""
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")


def scored(gaps: list[float], names: list[str], rows: int, share: float = 0.37, **more: Any) -> te.Predictions:
    """Models whose scores part the classes by so much; what is hard for one is hard for the others too."""
    rng = np.random.default_rng(11)
    truth = rng.random(rows) < share
    shared = rng.normal(size=rows)
    offset = np.log(share / (1 - share))
    scores = {}
    for name, gap in zip(names, gaps, strict=True):
        noise = 0.8 * shared + 0.6 * rng.normal(size=rows)
        scores[name] = 1 / (1 + np.exp(-(gap * (gap * (truth - 0.5) + noise) + offset)))
    labels = np.where(truth, "malignant", "benign")
    return te.predictions(labels, scores=scores, positive="malignant", **more)


def ten_classes() -> te.Predictions:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 10, 900)
    wrong = (truth + rng.choice([1, 5, 7], 900)) % 10
    calls = {n: np.where(rng.random(900) < a, truth, wrong) for n, a in [("cnn", 0.93), ("svm", 0.91), ("knn", 0.84)]}
    return te.predictions(truth, calls)


def clustered() -> te.Predictions:
    patient = np.repeat(np.arange(60), 8)
    return scored([2.6, 2.2, 1.9], ["vit", "cnn", "radiologist"], 480, clusters=patient)


def sliced() -> te.Predictions:
    city = np.random.default_rng(2).choice(["Berlin", "Lagos", "Lima", "Nairobi", "Oslo"], 900)
    return scored([2.4, 2.2, 1.8], ["vit", "cnn", "radiologist"], 900, 0.12, by=city)


def experiment() -> te.Experiment:
    """Five learners on seven data sets."""
    from sklearn.datasets import make_classification
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    learners = {
        "forest": RandomForestClassifier(25, random_state=0), "knn": KNeighborsClassifier(7),
        "logistic": LogisticRegression(max_iter=500), "bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(random_state=0),
    }  # fmt: skip
    names = ("credit", "diabetes", "heart", "ionosphere", "sonar", "vehicle", "wine")
    data = {}
    for i, name in enumerate(names):
        X, y = make_classification(
            150 + 60 * i, 8 + i, n_informative=3 + i % 4, n_clusters_per_class=1 + i % 2, flip_y=0.08, random_state=i,
            class_sep=0.7 + 0.15 * (i % 3),
        )  # fmt: skip
        data[name] = te.Dataset(X, y, positive=1)
    return te.experiment(learners, data, plan=te.KFold(5, repeats=2), progress=False, jobs=1)


def many(models: int, name: str, rows: int = 800) -> te.Predictions:
    gaps = np.r_[np.linspace(2.6, 2.4, models // 3), np.linspace(2.2, 1.2, models - models // 3)]
    return scored(list(gaps), [name.format(i) for i in range(models)], rows)


FOUR = ([2.9, 2.75, 2.3, 1.9], ["logreg", "forest", "bayes", "tree"])
# Kind → what the site says of it, the source and the options of the report.
KINDS: dict[str, tuple[str, Callable[[], Any], dict[str, Any]]] = {
    "one": ("One model: its metrics, and the threshold to run it at", lambda: scored([2.6], ["logreg"], 285), {}),
    "two": ("Two models", lambda: scored([2.7, 2.3], ["challenger", "champion"], 600), {}),
    "four": ("Four models", lambda: scored(*FOUR, rows=285), {}),
    "twelve": ("Twelve models with long names", lambda: many(12, LONG), {}),
    "forty": ("Forty models", lambda: many(40, "run_{:03d}", 1500), {}),
    "names": (
        "Forty names of three hundred characters",
        lambda: many(40, "x" * 120 + " {} " + "a name of three hundred characters " * 5),
        {},
    ),
    "classes": ("Ten classes", ten_classes, {}),
    "costs": ("A miss costs ten false alarms; five cities", sliced, {"cost_fn": 10}),
    "clusters": ("Eight rows of each patient", clustered, {}),
    "experiment": ("Five learners on seven data sets", experiment, {}),
    "large": (
        "Two million rows", lambda: scored([1.9, 1.85, 1.6], ["vit", "cnn", "logreg"], 2_000_000, 0.05), {}
    ),
}  # fmt: skip


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium without a window."""
    from selenium.webdriver import Chrome
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    with tempfile.TemporaryDirectory() as profile:
        for option in (*OPTIONS, f"--user-data-dir={profile}"):
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = Chrome(options=options, service=Service(shutil.which("chromedriver") or ""))
        try:
            yield driver
        finally:
            driver.quit()


def show(driver: Any, page: Path, width: int, dark: bool) -> int:
    """Open a page at a width; its height."""
    do = driver.execute_cdp_cmd
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    do("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    do("Emulation.setEmulatedMedia", {"media": "", "features": [scheme]})
    driver.get(page.as_uri())
    driver.execute_async_script(READY)
    return int(driver.execute_script("return document.documentElement.scrollHeight;"))


def shoot(driver: Any, width: int, height: int) -> bytes:
    """The upper part of what is shown, as PNG."""
    clip = {"x": 0, "y": 0, "width": width, "height": min(height, 12_000), "scale": 1}
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
    return base64.b64decode(shot["data"])


def printed(driver: Any) -> bytes:
    """The page on A4 paper, as PDF."""
    paper = {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True, "printBackground": True}
    return base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", paper)["data"])


def sheets(pdf: bytes) -> int:
    """How many pages a PDF of Chromium has."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def small(picture: Any) -> bytes:
    """A picture in 160 colours, rare ones among them, such as the red of a verdict: some fifty kilobytes."""
    from PIL import Image

    out = io.BytesIO()
    few = picture.convert("RGB").quantize(160, method=Image.Quantize.MAXCOVERAGE)
    few.convert("RGB").save(out, "WEBP", lossless=True, method=4)
    return out.getvalue()


def on_paper(pdf: Path) -> Any:
    """The first sheets beside each other."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        size = ["-r", "44", "-l", str(SHEETS), "-png"]
        subprocess.run(["pdftoppm", *size, str(pdf), f"{folder}/sheet"], check=True)
        pages = [Image.open(path).convert("RGB") for path in sorted(Path(folder).glob("*.png"))]
    wide, high = pages[0].size
    whole = Image.new("RGB", ((wide + 8) * len(pages) - 8, high), "#999999")
    for i, page in enumerate(pages):
        whole.paste(page, ((wide + 8) * i, 0))
    return whole


def take(folder: Path, kinds: Iterable[str], *, first: bool = False) -> Iterator[tuple[str, int, int, dict[int, int]]]:
    """All pictures of some kinds; yields each kind with its bytes, its sheets of paper and its heights by width."""
    folder.mkdir(parents=True, exist_ok=True)
    with browser() as driver:
        for kind in kinds:
            _, source, options = KINDS[kind]
            page = te.report(source(), folder / f"{kind}.html", command=f"trueerror report {kind}.csv", **options)
            heights = {}
            for width in WIDTHS:
                for scheme in SCHEMES:
                    heights[width] = show(driver, page, width, scheme == "dark")
                    check_screen(driver, f"{kind} at {width}, {scheme}")
                    shot = shoot(driver, width, FIRST[width] if first else heights[width])
                    (folder / f"{kind}-{width}-{scheme}.png").write_bytes(shot)
            show(driver, page, WIDTHS[0], False)
            pdf = printed(driver)
            (folder / f"{kind}.pdf").write_bytes(pdf)
            if sheets(pdf) > MOST_SHEETS:
                raise AssertionError(f"{kind} takes {sheets(pdf)} sheets of paper")
            yield kind, page.stat().st_size, sheets(pdf), heights


def check_screen(driver: Any, where: str) -> None:
    """The page is no wider than the screen, and nothing in it complains."""
    wide, room = driver.execute_script("const e = document.documentElement; return [e.scrollWidth, e.clientWidth];")
    said = [entry["message"] for entry in driver.get_log("browser")]
    if wide > room or said:
        raise AssertionError(f"{where}: {wide} pixels wide, {said}")


def keep(folder: Path, kinds: Iterable[str], pictures: Path = KEPT) -> None:
    """Renew the pictures of the docs from those that were taken."""
    from PIL import Image

    pictures.mkdir(parents=True, exist_ok=True)
    for kind in kinds:
        for width, high in FIRST.items():
            for scheme in SCHEMES:
                whole = Image.open(folder / f"{kind}-{width}-{scheme}.png")
                held = small(whole.crop((0, 0, width, min(high, whole.height))))
                (pictures / f"{kind}-{width}-{scheme}.webp").write_bytes(held)
        (pictures / f"{kind}-paper.webp").write_bytes(small(on_paper(folder / f"{kind}.pdf")))


def reports_page() -> str:
    """Every kind of report, on three screens and on paper."""
    from making.markdown import page

    parts = [
        "First screens of reports of every kind, as they are on a desk, a tablet and a phone, light and dark, and the "
        "first sheets of paper. [HTML report](report.md) says what is on the page and how to make one.",
    ]
    for kind, (title, _, _) in KINDS.items():
        tabs = []
        for width, name in zip(WIDTHS, ("Desk", "Tablet", "Phone"), strict=True):
            shown = [
                f"![{title}, {width} pixels wide, {s}](../pictures/reports/{kind}-{width}-{s}.webp)" for s in SCHEMES
            ]
            tabs.append(f":::{{tab-item}} {name}\n" + "\n".join(shown) + "\n:::")
        tabs.append(f":::{{tab-item}} Paper\n![{title}, printed](../pictures/reports/{kind}-paper.webp)\n:::")
        parts += [f"## {title}", "::::{tab-set}\n" + "\n".join(tabs) + "\n::::"]
    return page("Reports of every kind", *parts, keywords=("report gallery", "screenshots", "sample reports", "print"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("build/screenshots"))
    parser.add_argument("--only", nargs="*", default=list(KINDS), choices=list(KINDS), metavar="KIND")
    parser.add_argument("--first", action="store_true", help="the first screen alone")
    parser.add_argument("--keep", action="store_true", help="renew the pictures in docs/pictures/reports")
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    for kind, size, pages, heights in take(folder, asked.only, first=asked.first):
        tall = ", ".join(f"{height:,} px at {width}" for width, height in heights.items())
        sys.stdout.write(f"{kind}: {size / 1000:,.0f} kB, {pages} printed pages, {tall}\n")
        sys.stdout.flush()
    if asked.keep:
        keep(folder, asked.only)


if __name__ == "__main__":
    main()
