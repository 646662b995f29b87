"""How numbers and names are written: one place for rounding and wrapping, and for names that must be cut.

Text is counted in the columns of a terminal; names are cut so that different names stay different, and tables are laid
out so that they fit.
"""

from __future__ import annotations

import html
import math
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cache, partial

from trueerror._errors import one_line as one_line


class Text(str):
    """A string that shows itself as written, not quoted, in a console or a notebook; without control characters."""

    __slots__ = ()

    def __new__(cls, text: str = "") -> Text:
        return super().__new__(cls, "\n".join(map(one_line, text.split("\n"))))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escaped(self)}</pre>"


def folded(text: str, columns: int = 80) -> str:
    """Text over lines of at most so many columns; limits in brackets, "p = .03" and "95 %" stay together.

    >>> print(folded("accuracy 0.750 [0.657, 0.825] of the rows, p = .03", 24))
    accuracy 0.750
    [0.657, 0.825] of the
    rows, p = .03
    """
    return "\n".join(filled(line, columns, cut=False) for line in text.split("\n"))


def filled(
    text: str, columns: int = 80, *, initial_indent: str = "", subsequent_indent: str = "", cut: bool = True
) -> str:
    """One paragraph over lines of at most so many columns, in which the same stays together; longer words are cut.

    >>> print(filled("the first one is ahead by 12 points", 28, subsequent_indent="  "))
    the first one is ahead by
      12 points
    """
    return textwrap.fill(
        unbroken(text), columns, initial_indent=initial_indent, subsequent_indent=subsequent_indent,
        break_on_hyphens=False, break_long_words=cut,
    ).replace("\u00a0", " ")  # fmt: skip


def unbroken(text: str) -> str:
    """Text in which what belongs together is held by spaces that do not break (U+00A0)."""
    return _TOGETHER.sub(lambda found: found.group().replace(" ", "\u00a0"), text)


# What a line must not be broken in.
_TOGETHER = re.compile(
    r"\[[^\[\]]{1,30}\]|\b(?:adjusted )?[pnFz] [=<≤>] \S+|\bz [-+]\d\S*|\d (?:%(?: CI\b)?|points?\b|rows?\b)"
)


def number(x: float | None, digits: int = 3) -> str:
    """A number at three significant digits with a real minus; proportions keep three decimals.

    >>> number(0.73156), number(1234.5), number(-0.00012), number(float("nan")), number(1.0)
    ('0.732', '1,234', '−0.00012', 'undefined', '1.000')
    """
    if x is None:
        return "–"
    if math.isnan(x):
        return "undefined"
    if math.isinf(x):
        return "infinite" if x > 0 else "−infinite"
    if x < 0:
        return f"−{number(-x, digits)}"
    size = abs(x)
    if size != 0 and size < 10.0**-digits:
        return f"{x:.2g}"
    if size >= 10.0**digits:
        return f"{x:,.0f}"
    return _rounded(size, digits if size < 10 else max(0, digits - len(str(int(size)))))


def _rounded(x: float, digits: int, times_ten_to: int = 0) -> str:
    """Rounded half up by its decimal digits, as they are read: 0.9075 is 0.908 and 90.8 %."""
    written = Decimal(repr(float(x))).scaleb(times_ten_to)
    if written.adjusted() + digits > 26:  # more digits than a Decimal keeps, and a float has
        return f"{written:f}"
    return f"{written.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"


def fixed(x: float, digits: int, *, power: int = 0, sign: bool = False) -> str:
    """A number, times ten to a power, with so many decimals and a real minus.

    >>> fixed(0.9375, 1, power=2), in_points(-0.0249), signed(0.00001, 2)
    ('93.8', '−2.5', '0.00')
    """
    if not math.isfinite(x):
        return number(x)
    rounded = _rounded(abs(x), digits, power)
    if not rounded.strip("0."):
        return rounded
    grouped = f"{int(rounded.split('.')[0]):,}{rounded[rounded.index('.') :] if '.' in rounded else ''}"
    return ("−" if x < 0 else "+" if sign else "") + grouped


def per_100(x: float, *, sign: bool = False, decimals: int | None = None) -> str:
    """A cost of a row as one of 100 rows, with one decimal up to 100, or those of the answer that it stands in.

    >>> per_100(0.5125), per_100(1.48, sign=True), per_100(1.48, decimals=1)
    ('51.3', '+148', '148.0')
    """
    if not math.isfinite(x):
        return "not known"
    return fixed(x, decimals_apart(x, least=1, power=2) if decimals is None else decimals, power=2, sign=sign)


def signed(x: float, digits: int = 3) -> str:
    """A difference with its sign, a real minus.

    >>> signed(-0.02), signed(0.0, 1), signed(float("nan"))
    ('−0.020', '0.0', '–')
    """
    return "–" if math.isnan(x) else fixed(x, digits, sign=True)


def in_points(x: float, digits: int = 1) -> str:
    """A difference of shares in points of a percent.

    >>> in_points(-0.0249), in_points(0.1), in_points(0.00012, 3)
    ('−2.5', '+10.0', '+0.012')
    """
    return fixed(x, digits, power=2, sign=True)


def real_minus(text: str) -> str:
    """Hyphens that stand before a number as true minus signs; words and ranges keep theirs.

    >>> real_minus("-0.4 [-1, +2] of x-1, 10-31")
    '−0.4 [−1, +2] of x-1, 10-31'
    """
    return _MINUS.sub("−", text)


_MINUS = re.compile(r"(?<![\w.\-–])-(?=\.?\d)")


def whole(x: float | None) -> str:
    """A count with thousands separated.

    >>> whole(12345)
    '12,345'
    """
    if x is None:
        return "–"
    return f"{x:,.0f}" if float(x).is_integer() else f"{x:,.1f}"


def threshold_words(threshold: float) -> str:
    """A threshold as it is said everywhere, without needless zeros.

    >>> threshold_words(1 / 11), threshold_words(0.5), threshold_words(1234.56)
    ('0.091', '0.5', '1,235')
    """
    words = number(threshold)
    return words.rstrip("0").rstrip(".") if "." in words else words


def counted(n: float, noun: str, several: str = "") -> str:
    """A count with its noun in the singular or the plural.

    >>> counted(1, "row"), counted(2000, "row"), counted(3, "class", "classes")
    ('1 row', '2,000 rows', '3 classes')
    """
    return f"{whole(n)} {noun if n == 1 else several or f'{noun}s'}"


def percent(x: float) -> str:
    """A share in percent, without needless zeros.

    >>> percent(0.95), percent(0.8), percent(0.999)
    ('95 %', '80 %', '99.9 %')
    """
    return f"{100 * x:.6g} %"


def share_words(x: float) -> str:
    """A share in percent, at three digits.

    >>> share_words(0.37193), share_words(1.0), share_words(0.00123)
    ('37.2 %', '100 %', '0.123 %')
    """
    return percent(float(f"{x:.3g}"))


def percents(x: float, digits: int = 1) -> str:
    """A share in percent without its sign, rounded as `number` rounds the share itself.

    >>> percents(0.9075), number(0.9075), percents(0.04055)
    ('90.8', '0.908', '4.1')
    """
    return _rounded(x, digits, 2) if math.isfinite(x) else number(x)


def p_value(p: float | None, *, at_most: bool | None = None) -> str:
    """A p-value in words, never 0 or 1; `at_most` where replicates could have shown no smaller one.

    >>> p_value(0.0461), p_value(1e-9), p_value(1.0), p_value(None)
    ('p = .046', 'p < .001', 'p > .999', 'p not given')
    >>> p_value(0.003, at_most=True), p_value(1e-9, at_most=True)
    ('p ≤ .003', 'p < .001')
    """
    if p is None:
        return "p not given"
    if math.isnan(p):
        return "p undefined"
    if p < 0.001:
        return "p < .001"
    if p >= 0.9995:
        return "p > .999"
    return f"p {'≤' if at_most else '='} {p:.3f}".replace("0.", ".")


def p_cell(words: str) -> str:
    """A p-value for a table whose heading says p.

    >>> p_cell("p = .046"), p_cell("p < .001")
    ('.046', '< .001')
    """
    return words[2:].lstrip("= ")


# Numbers nearer to each other, or to 0, than this part of their whole span may look alike.
NEGLIGIBLE = 1e-4
MOST_DECIMALS = 12
# From here on the last digits of a number say nothing.
LARGE = 1e15


def decimals_apart(*numbers: float, least: int = 3, power: int = 0) -> int:
    """The decimals that all of these numbers, times ten to a power, are written with.

    As few, from `least` on, as show those that differ as different. Without a power three digits are enough from 10
    on, and numbers of one sign are not shown as 0 (down to 1e-12: see `common_format`); with one, as of costs of 100
    rows, beyond 100 one decimal less. An estimate given with its limits so never looks like one of them.

    >>> decimals_apart(0.7316, 0.7671), decimals_apart(0.99962, 1.0), decimals_apart(0.84998, 0.85002, least=1, power=2)
    (3, 4, 3)
    >>> decimals_apart(20.31, 20.0, 20.46), decimals_apart(0.8033, 0.8028, 0.8041), decimals_apart(0.00012, 0.02)
    (1, 4, 4)
    >>> decimals_apart(15.448, 13.697, 25.13, least=1, power=2), decimals_apart(0.98, 0.9, 1.0, least=1, power=2)
    (0, 1)
    """
    fewest, found = _fewest_and_apart(numbers, least, power)
    return fewest if found is None else found


def _fewest_and_apart(numbers: Sequence[float], least: int, power: int, sign: bool = False) -> tuple[int, int | None]:
    """The fewest decimals that these may have, and those that show them as different; None where none do.

    Differences, which have a sign, are shown as different from 0 too.
    """
    finite = [x for x in numbers if math.isfinite(x)]
    largest = max(map(abs, finite), default=0.0)
    fewer = int(largest > 1 + 1e-9) if power else len(str(int(largest))) * (largest >= 10)
    fewest = max(0, least - fewer)
    negligible = NEGLIGIBLE * (max(finite, default=0.0) - min(finite, default=0.0))
    around_zero = any(x < 0 for x in finite) and any(x > 0 for x in finite)
    others = finite if around_zero or (power and not sign) else [0.0, *finite]
    different = [(x, y) for x in finite for y in others if abs(x - y) > negligible]
    for digits in range(fewest, MOST_DECIMALS + 1):
        # Two numbers that are farther from each other than a unit of the last decimal are written differently.
        near = [(x, y) for x, y in different if abs(x - y) * 10.0**power < 1.5 * 10.0**-digits]
        if all(fixed(x, digits, power=power) != fixed(y, digits, power=power) for x, y in near):
            return fewest, digits
    return fewest, None


def common_format(
    *numbers: float, least: int = 3, power: int = 0, sign: bool = False, decimals: int | None = None
) -> Callable[[float], str]:
    """How these numbers, and others beside them, are written: each with the decimals of `decimals_apart`, or those of
    the column that they stand in. Numbers that no decimals tell apart, and those from 1e15 on, have three digits.

    >>> common_format(2e-13, 1e-13)(2e-13), common_format(1.5e20)(-1.5e20)
    ('2e-13', '−1.5e+20')
    >>> common_format(0.03, 0.002, 0.07, least=0, power=2, sign=True)(0.002)
    '+0.2'
    """
    if decimals is None:
        fewest, found = _fewest_and_apart(numbers, least, power, sign)
        decimals = fewest if found is None else found
        if found is None or any(LARGE <= abs(x) < math.inf for x in numbers):
            return partial(_three_digits, decimals=decimals, power=power, sign=sign)
    return partial(fixed, digits=decimals, power=power, sign=sign)


def _three_digits(x: float, *, decimals: int, power: int, sign: bool) -> str:
    """A very small or very large number with three digits and a power of ten, any other with so many decimals."""
    size = abs(x) * 10.0**power
    if size == 0 or 10.0**-decimals <= size < LARGE or not math.isfinite(size):
        return fixed(x, decimals, power=power, sign=sign)
    return f"{'−' if x < 0 else '+' if sign else ''}{size:.3g}"


def figures(
    *numbers: float, least: int = 3, power: int = 0, sign: bool = False, decimals: int | None = None
) -> list[str]:
    """These numbers in their common format.

    >>> figures(0.8033, 0.8028, 0.8041), figures(8.1094, 1.6521, 35.13), figures(0.0109, 0.005, sign=True)
    (['0.8033', '0.8028', '0.8041'], ['8.1', '1.7', '35.1'], ['+0.011', '+0.005'])
    """
    return list(map(common_format(*numbers, least=least, power=power, sign=sign, decimals=decimals), numbers))


def limits(low: float, high: float, digits: int = 3, *, none: str = "no interval") -> str:
    """Two limits in brackets, or the word for none.

    >>> limits(0.7316, 0.7671)
    '[0.732, 0.767]'
    """
    if math.isnan(low) and math.isnan(high):
        return none
    return "[{}, {}]".format(*figures(low, high, least=digits))


def with_limits(estimate: float, low: float, high: float, *, sign: bool = False, decimals: int | None = None) -> str:
    """An estimate and its limits, all with as many decimals as it takes to see that they differ, or as given.

    >>> with_limits(0.75, 0.7316, 0.7671), with_limits(0.98793, 0.987924, 0.987938)
    ('0.750 [0.732, 0.767]', '0.98793 [0.98792, 0.98794]')
    """
    return " ".join(estimate_and_limits(estimate, low, high, sign=sign, decimals=decimals))


def estimate_and_limits(
    estimate: float, low: float, high: float, *, least: int = 3, power: int = 0, sign: bool = False,
    none: str = "no interval", decimals: int | None = None,
) -> tuple[str, str]:  # fmt: skip
    """The same as two cells of a table.

    >>> estimate_and_limits(0.0109, 0.005, 0.0168, least=1, power=2, sign=True)
    ('+1.1', '[+0.5, +1.7]')
    """
    written = figures(estimate, low, high, least=least, power=power, sign=sign, decimals=decimals)
    return written[0], none if math.isnan(low) and math.isnan(high) else "[{}, {}]".format(*written[1:])


def ci_words(
    low: float,
    high: float,
    confidence: float,
    shown: Callable[[float], str] | None = None,
    *,
    side: str = "",
    unit: str = "",
) -> str:
    """Limits in a sentence; one alone where the other is infinite, or `side` ("lower", "upper") asks for it.

    `shown` writes them as the estimate before them was written (`common_format` of all three).

    >>> ci_words(0.912, 0.959, 0.95), ci_words(0.738, 1.0, 0.95, side="lower")
    ('95 % CI 0.912 to 0.959', '95 % CI 0.738 or more')
    """
    shown = shown or common_format(low, high)
    lead = f"{percent(confidence)} CI"
    ends = math.isfinite(low) and side != "upper", math.isfinite(high) and side != "lower"
    if ends == (True, True):
        return f"{lead} {shown(low)} to {shown(high)}{unit}"
    if any(ends):
        return f"{lead} {shown(low)}{unit} or more" if ends[0] else f"{lead} {shown(high)}{unit} or less"
    return "no limits can be given"


def one_time_in(p: float, *, at_most: bool = False) -> str:
    """A p-value as people picture it.

    >>> one_time_in(0.0461), one_time_in(1e-9), one_time_in(0.8)
    ('about 1 time in 22', 'less than 1 time in 1,000', 'more often than not')
    """
    if p < 0.001:
        return "less than 1 time in 1,000"
    return f"{'at most' if at_most else 'about'} 1 time in {round(1 / p):,}" if p <= 0.5 else "more often than not"


def chance_words(p: float, *, equals: bool = False) -> str:
    """A posterior probability, never 0 or 1.

    >>> chance_words(0.9999), chance_words(0.5), chance_words(0.0)
    ('> .999', '.500', '< .001')
    """
    return "< .001" if p < 0.001 else "> .999" if p > 0.999 else f"{'= ' * equals}{number(p).removeprefix('0')}"


def listing(names: list[str], joint: str = "and") -> str:
    """Names as a sentence part.

    >>> listing(["a", "b", "c"])
    'a, b and c'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"


def some(names: Sequence[str], most: int = 6, joint: str = "and") -> str:
    """The first names as a sentence part, and how many more there are.

    >>> some(["a", "b", "c", "d"], 2)
    'a, b and 2 more'
    """
    return listing([*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])], joint)


ELLIPSIS = "…"


# What HTML and XML do not allow, and a terminal runs.
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def escaped(text: str) -> str:
    """Text for HTML: marks as entities, and no control character but line breaks and tabs.

    >>> escaped("<b>" + chr(27) + "[5m")
    '&lt;b&gt; [5m'
    """
    return html.escape(CONTROLS.sub(" ", text))


def width(text: str) -> int:
    """How many columns a terminal gives this text: wide characters count two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def clip(text: str, columns: int) -> str:
    """Text cut to so many columns in the middle, since long names often differ at their ends.

    >>> clip("resnet50_frozen_layers", 12)
    'resnet…ayers'
    """
    if width(text) <= columns:
        return text
    front = _front(text, columns // 2)
    return f"{front}{ELLIPSIS}{_back(text, columns - 1 - width(front))}"


def short_names(names: Sequence[str], columns: int) -> list[str]:
    """Each name in at most so many columns, equal only where the names are.

    Words that all share go first. Then the middle is cut; where that makes several alike, what they share at both ends
    is cut instead; where even that is not enough, they are numbered by their place.

    >>> short_names(["gbm, depth=1, tuned well", "gbm, depth=2, tuned well", "forest"], 14)
    ['gbm, depth=1…', 'gbm, depth=2…', 'forest']
    >>> short_names(["an ox that eats a pear at dawn", "an ox who ate no apple at dawn"], 10)
    ['that eats', 'who ate']
    >>> short_names(["2024-01-01 00:00", "2024-01-01 01:00"], 14)
    ['…01-01 00:00', '…01-01 01:00']
    """
    different = list(dict.fromkeys(names))
    moments = all(map(MOMENT.fullmatch, different))
    own = dict(zip(different, different if moments else _first_words(different, columns), strict=True))
    shortened = {name: clip(own[name], columns) for name in different}
    if moments and any(width(name) > columns for name in different):
        # A moment is read from its end: year, month and day go first.
        for cut in (5, 8, 11):
            without = {name: f"{ELLIPSIS}{name[cut:]}" for name in different}
            if max(map(width, without.values())) <= columns and not _alike(without):
                return [without[name] for name in names]
    for same in _alike(shortened):
        shortened.update(zip(same, _without_shared_ends([own[name] for name in same], columns), strict=True))
    numbers = {name: f"#{i + 1} " for i, name in enumerate(different)}
    # A second round only where a name looks like the number of another: then all are numbered.
    for again in (False, True):
        for name in different if again else [name for same in _alike(shortened) for name in same]:
            shortened[name] = numbers[name] + clip(name, columns - len(numbers[name]))
        if not _alike(shortened):
            break
    return [shortened[name] for name in names]


# A date, or a moment as a key is named; a midnight is named as its day.
MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?")


def key_names(keys: Iterable[object]) -> dict[object, str]:
    """How the values of one column are shown: moments with one precision, so that a midnight is one among others.

    >>> list(key_names(["2024-01-01", "2024-01-01 01:00:00"]).values()), list(key_names(["2024-01-01"]).values())
    (['2024-01-01 00:00', '2024-01-01 01:00'], ['2024-01-01'])
    """
    names = {key: one_line(str(key)) for key in keys}
    moments = [MOMENT.fullmatch(name) for name in names.values()]
    known = [(m[1], m[2] or "00:00", m[3] or ":00") for m in moments if m is not None]
    if len(known) < len(names) or all(m is None or m[2] is None for m in moments):
        return names
    # Seconds only where there are some.
    seconds = any(second != ":00" for _, _, second in known)
    return {
        key: f"{day} {minute}{second if seconds else ''}"
        for key, (day, minute, second) in zip(names, known, strict=True)
    }


def is_numbered(name: str, shown: str) -> bool:
    """Whether `short_names` could only number this name, so that it needs a key."""
    return name != shown and shown.startswith("#")


def _alike(shown: dict[str, str]) -> list[list[str]]:
    """The different names that are shown alike."""
    groups: dict[str, list[str]] = {}
    for name, short in shown.items():
        groups.setdefault(short, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


LONGEST_NAME = 120  # longer names are cut in the middle: a page repeats them in many places
BRIEF = 28  # in sentences, and where many stand under each other
LEAST_CUT = 8  # what long names share is cut from this many characters on


@cache
def brief_names(names: tuple[str, ...]) -> dict[str, str]:
    """Each name, and its handle where room is short: at most `BRIEF` columns, and no two alike.

    Words that all long names share go, and `name_key` says them once; then the last words, as long as names differ;
    then each is cut in its middle.

    >>> list(brief_names(("trees_depth3_rate0.05_of-the-week-31", "trees_depth12_rate0.05_of-the-week-31")).values())
    ['depth3', 'depth12']
    >>> list(brief_names(("logreg", "a forest of 500 trees with a very long name")).values())
    ['logreg', 'a forest of 50…ery long name']
    >>> list(brief_names(("x" * 120 + "1", "x" * 120 + "2")).values())
    ['xxxxxxxxxxxxxx…xxxxxxxxxxxx1', 'xxxxxxxxxxxxxx…xxxxxxxxxxxx2']
    """
    return dict(zip(names, short_names([one_line(n) for n in names], BRIEF), strict=True))


def _first_words(names: Sequence[str], columns: int) -> list[str]:
    """Long names by their own words, without the last ones as long as names are too long and stay different."""
    own = _own_words(names, columns)[0]
    last = f"(?<=.)[{_signs(own)}]+[^{_signs(own)}]*$"
    while len(own) > 1 and max(map(width, own)) > columns and all(re.search(last, name) for name in own):
        own, before = [re.sub(last, "", name) for name in own], own
        if len(set(own)) < len(set(names)):
            return before
    return own


def _signs(names: Sequence[str]) -> str:
    # Blanks and commas part the words of names where there are some, else signs.
    return " ,;" if any(c in n for n in names for c in " ,;") else "_/-"


def _own_words(names: Sequence[str], columns: int) -> tuple[list[str], list[str]]:
    """Long names without the words that stand at the same place in all; and these, as they follow each other."""
    if len(names) < 2 or max(map(width, names)) <= columns:
        return list(names), []
    between = _signs(names)
    words = [re.findall(f"[^{between}]*[{between}]+|[^{between}]+", n) for n in names]
    least = min(map(len, words))
    # Places count from the front and, where names have unlike numbers of words, from the end.
    same = len({len(w) for w in words}) == 1
    front = [i for i in range(least) if len({w[i] for w in words}) == 1]
    if not same:
        front = [i for k, i in enumerate(front) if i == k]
    back = [] if same else [i for i in range(-1, len(front) - least - 1, -1) if len({w[i] for w in words}) == 1]
    back = [i for k, i in enumerate(back) if i == -1 - k]
    # A bare number says too little: the word before it stays.
    front = [i for i in front if i + 1 in front or i + 1 >= least or any(c.isalpha() for w in words for c in w[i + 1])]
    own = [[x for i, x in enumerate(w) if i not in front and i - len(w) not in back] for w in words]
    shared = "".join(words[0][i] if i in front or i - len(words[0]) in back else "\n" for i in range(len(words[0])))
    kept = ["".join(w).strip(between) for w in own]
    if len(shared.replace("\n", "")) < LEAST_CUT or len(set(kept)) < len(set(names)) or not all(kept):
        return list(names), []
    return kept, [run.strip(between) for run in shared.split("\n") if run.strip(between)]


def name_key(names: Sequence[str]) -> list[str]:
    """What was left out of all names, as a sentence; nothing where nothing was.

    >>> name_key(("trees_depth3_rate0.05_of-the-week-31", "trees_depth12_rate0.05_of-the-week-31"))
    ['Names are short here: each also has “trees” and “rate0.05_of-the-week-31”.']
    """
    shared = [f"“{clip(words, LONGEST_NAME)}”" for words in _own_words([one_line(n) for n in names], BRIEF)[1]]
    return [f"Names are short here: each also has {listing(shared)}."] if shared else []


def brief(text: str, names: Iterable[object]) -> str:
    """A sentence with its long names cut to their handles, and real minus signs before numbers.

    >>> brief(f"Use {'x' * 30}{'y' * 30} here: -1.5", ["x" * 30 + "y" * 30])
    'Use xxxxxxxxxxxxxx…yyyyyyyyyyyyy here: −1.5'
    """
    handles = {one_line(n): short for n, short in brief_names(tuple(str(n) for n in names)).items() if n}
    if not handles:
        return real_minus(text)
    # A name may be the beginning of another one, and may hold what looks like a negative number.
    pattern = re.compile("|".join(re.escape(n) for n in sorted(handles, key=len, reverse=True)))
    out, end = [], 0
    for match in pattern.finditer(text):
        name = match.group()
        whole_word = not (_joins(text, match.start() - 1, name[0]) or _joins(text, match.end(), name[-1]))
        if len(name) > BRIEF or whole_word:
            out += [real_minus(text[end : match.start()]), handles[name]]
            end = match.end()
    return "".join([*out, real_minus(text[end:])])


def _joins(text: str, place: int, edge: str) -> bool:
    """Whether a character goes on with the word that a name begins or ends with."""
    return 0 <= place < len(text) and text[place].isalnum() and edge.isalnum()


def _without_shared_ends(names: list[str], columns: int) -> list[str]:
    """The part in which names differ, with as much around it as there is room for."""
    for whole_words in (True, False):
        front = _shared_front(names, whole_words)
        back = _shared_front([name[len(front) :][::-1] for name in names], whole_words)[::-1]
        cores = [name[len(front) : len(name) - len(back)] for name in names]
        longest = max(width(x) for x in cores)
        if longest + bool(front) + bool(back) <= columns:
            left = _ending(front, columns - longest - bool(back))
            right = _beginning(back, columns - longest - width(left))
            return [f"{left}{x}{right}" for x in cores]
    return [clip(name, columns) for name in names]


def _shared_front(names: list[str], whole_words: bool) -> str:
    # What the first and the last in sorted order share, all between them share too.
    first, last = min(names), max(names)
    shared = first[: next((i for i in range(len(first)) if not last.startswith(first[: i + 1])), len(first))]
    if not whole_words or not any(len(n) > len(shared) and _in_word(n[len(shared)]) for n in names):
        return shared
    # "depth=1" and "depth=16" differ in the whole number, "0.05" and "0.01" too.
    while shared and _in_word(shared[-1]):
        shared = shared[:-1]
    return shared


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "."


def _ending(text: str, columns: int) -> str:
    """The last word of a text, before it as much of its beginning as there is room for."""
    if width(text) <= columns:
        return text
    start = text.rstrip().rfind(" ") + 1
    word = _back(text[start:], columns - 1)
    left = columns - 1 - width(word)
    return (_front(text, left).rstrip(" ,;") if left > 2 else "") + ELLIPSIS + word


def _beginning(text: str, columns: int) -> str:
    return text if width(text) <= columns else _front(text, columns - 1).rstrip(" ,;") + ELLIPSIS


def _front(text: str, columns: int) -> str:
    kept = ""
    for c in text:
        if width(kept + c) > columns:
            break
        kept += c
    return kept


def _back(text: str, columns: int) -> str:
    kept = ""
    for c in reversed(text):
        if width(c + kept) > columns:
            break
        kept = c + kept
    return kept


# A column of names is not cut below this.
LEAST_NAME = 8
# A heading is not folded to win fewer columns than this, unless that saves names from being cut.
LEAST_GAIN = 4


def aligned_columns(heads: Sequence[str], rows: Sequence[Sequence[str]], names: int, most: int) -> list[str]:
    """The lines of a table within `most` columns of a terminal, the first `names` columns to the left.

    Long names are cut but stay different, numbers and headings are never cut; a heading of several words goes over two
    lines where that saves names from being cut.
    """
    heads = [one_line(head) for head in heads]
    columns = [[one_line(row[i]) for row in rows] for i in range(len(heads))]
    columns = [column if i < names else aligned_intervals(column) for i, column in enumerate(columns)]
    widths, headings = _layout(heads, columns, names, most)
    columns, key = _cut_names(columns, widths, names, most)
    height = max(map(len, headings), default=1)
    padded = [
        [_aligned(cell, wide, left=i < names) for cell in [*[""] * (height - len(lines)), *lines, *column]]
        for i, (lines, column, wide) in enumerate(zip(headings, columns, widths, strict=True))
    ]
    return [*("  ".join(row).rstrip() for row in zip(*padded, strict=True)), *key]


def aligned_intervals(cells: Sequence[str]) -> list[str]:
    """Cells of a column such as ".997 [.972, 1.000]" with each of the numbers in a place of its own.

    >>> print("\\n".join(aligned_intervals([".997 [.972, 1.000]", ".995 [.974, .999]", "none"])))
    .997 [.972, 1.000]
    .995 [.974,  .999]
    none
    """
    matches = [re.fullmatch(r"(?:(\S+) )?\[(\S+), (\S+)\]", cell) for cell in cells]
    wide = [max((width(m[i] or "") for m in matches if m), default=0) for i in (1, 2, 3)]

    def padded(m: re.Match[str]) -> str:
        first, low, high = (" " * (w - width(m[i] or "")) + (m[i] or "") for i, w in zip((1, 2, 3), wide, strict=True))
        return f"{first} [{low}, {high}]" if m[1] else f"[{low}, {high}]"

    return [padded(m) if m else cell for m, cell in zip(matches, cells, strict=True)]


def _layout(heads: list[str], columns: list[list[str]], names: int, most: int) -> tuple[list[int], list[list[str]]]:
    """How wide each column is, and its heading line by line: headings are folded first, then names are cut."""
    cells = [max(map(width, column), default=0) for column in columns]
    widths = [max(cell, width(head)) for cell, head in zip(cells, heads, strict=True)]
    if _needed(widths) > most:
        folded = _fold_headings(heads, cells, widths, most, LEAST_GAIN)
        tighter = _fold_headings(heads, cells, widths, most, 1)
        widths = tighter if _needed(tighter) <= most < _needed(folded) else folded
    headings = [_heading_lines(head, w) for head, w in zip(heads, widths, strict=True)]
    least = [max(LEAST_NAME, max(map(width, lines))) for lines in headings[:names]]
    while _needed(widths) > most and any(w > x for w, x in zip(widths, least, strict=False)):
        widths[max((i for i, x in enumerate(least) if widths[i] > x), key=lambda i: widths[i])] -= 1
    return widths, headings


def _cut_names(columns: list[list[str]], widths: list[int], names: int, most: int) -> tuple[list[list[str]], list[str]]:
    """The columns with names that fit, and a key to those that could only be numbered.

    Columns of names are cut alike: a model must look the same on both sides of a pair.
    """
    cut = [i for i, column in enumerate(columns[:names]) if max(map(width, column), default=0) > widths[i]]
    long = list(dict.fromkeys(name for i in cut for name in columns[i]))
    fitting = dict(zip(long, short_names(long, min((widths[i] for i in cut), default=most)), strict=True))
    fitted = [[fitting[name] for name in column] if i in cut else column for i, column in enumerate(columns)]
    key = [f"{short.split()[0]} {name}" for name, short in fitting.items() if is_numbered(name, short)]
    return fitted, [textwrap.fill(line, most, subsequent_indent="   ") for line in key]


def _needed(widths: Sequence[int]) -> int:
    return sum(widths) + 2 * (len(widths) - 1)


def _aligned(cell: str, columns: int, *, left: bool) -> str:
    pad = " " * (columns - width(cell))
    return cell + pad if left else pad + cell


def _heading_lines(heading: str, columns: int) -> list[str]:
    """A heading over the lines that it takes; a long word stays whole."""
    return textwrap.wrap(heading, max(columns, 1), break_long_words=False, break_on_hyphens=False) or [""]


def _fold_headings(heads: list[str], cells: list[int], widths: list[int], most: int, gain: int) -> list[int]:
    """Narrower columns where a heading is wider than its cells and has a place to break; two lines at most."""
    widths = list(widths)
    # The heading that gains most goes first, and none more than needed.
    for i in sorted(range(len(heads)), key=lambda i: cells[i] - widths[i]):
        if _needed(widths) <= most:
            break
        for less in range(cells[i], widths[i] - gain + 1):
            lines = _heading_lines(heads[i], less)
            if len(lines) <= 2 and max(map(width, lines)) <= less:
                widths[i] = less
                break
    return widths


def capitalised(text: str) -> str:
    """The text as a sentence begins.

    >>> capitalised("macro F1 differs")
    'Macro F1 differs'
    """
    return text[:1].upper() + text[1:]
