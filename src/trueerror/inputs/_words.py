"""The words that people bring: what an option is called elsewhere, and what it is called here.

One table for all public functions and for the command line. A word of the same meaning is taken in the place of ours;
one whose meaning is not plain is refused with ours. Every public function is wrapped by `speaks` when it is first used
(`trueerror._attach`), so that an option or an argument too many ends with a sentence and never with a bare TypeError.
"""

from __future__ import annotations

import difflib
import inspect
import itertools
import json
import logging
import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, wraps
from numbers import Real
from pathlib import Path
from typing import Any, TypeVar, cast

from trueerror.inputs._options import InputError, in_few_words

Made = TypeVar("Made", bound=Callable[..., Any])


class CallError(InputError, TypeError):
    """A function was called with an argument that it does not have, or without one that it needs."""


@dataclass(frozen=True, slots=True)
class Word:
    """What a word means: the first of `ours` that a function has, its value turned by `turned`.

    `old` names the functions whose own spelling it was: there it works for one version more, with a note. `say` is
    what to answer where no function has such an option, `in_shell` the same on the command line; `number`: only the
    number of the noun differs.
    """

    ours: tuple[str, ...] = ()
    turned: Callable[[str, Any], Any] | None = None
    old: tuple[str, ...] = ()
    say: str = ""
    in_shell: str = ""
    number: bool = False


def _level(word: str, value: Any, such: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise CallError(f"{word}={value!r:.40} is not a number; {such}") from None


def _from_alpha(word: str, value: Any) -> Any:
    """A significance level as a confidence, a confidence as a significance level: 1 − the other."""
    level = _level(word, value, "pass confidence=0.95")
    if not 0 < level <= 0.5:
        raise CallError(f"{word}={value!r} is not a significance level such as 0.05; pass confidence=, such as 0.95")
    return round(1 - level, 12)


def _to_alpha(word: str, value: Any) -> Any:
    level = _level(word, value, "give a share such as 0.95")
    if not 0.5 <= level < 1:
        raise CallError(f"{word}={value!r} is not a confidence such as 0.95; a significance level goes in alpha=")
    return round(1 - level, 12)


def _confident(word: str, value: Any) -> Any:
    """A level that may be meant either way is a confidence only where it is a large one."""
    if isinstance(value, int | float) and 0 < value < 0.5:
        raise CallError(f"{word}={value!r} may be meant either way; pass confidence={round(1 - value, 12)!r}")
    return value


TURNED: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("alpha", "significance_level", "sig_level"), _from_alpha),
    **dict.fromkeys(("level", "ci"), _confident),
    "confidence": _to_alpha,
    "verbose": lambda word, value: bool(value),
}


@cache
def known_words() -> dict[str, Word]:
    """What each word of other tools means."""
    table = _words_file()
    facts: dict[str, dict[str, Any]] = {}
    for fact in ("same", "number", "old", "say", "in_shell"):
        for theirs, ours in table[fact].items():
            for word in theirs.split():
                of_word = facts.setdefault(word, {"turned": TURNED.get(word)})
                if fact in ("same", "number"):
                    of_word |= {"ours": tuple(ours.split()), "number": fact == "number"}
                else:
                    of_word[fact] = tuple(ours.split()) if fact == "old" else ours
    return {word: Word(**of_word) for word, of_word in facts.items()}


@cache
def _words_file() -> dict[str, dict[str, str]]:
    import tomllib

    return tomllib.loads((Path(__file__).with_name("words.toml")).read_text(encoding="utf-8"))


def said_of(name: str, section: str = "by_place") -> str:
    """What a section of the table says of a name; "" where it is not there."""
    return next((said for names, said in _words_file()[section].items() if name in names.split()), "")


# Options that are one value whatever their annotation says; the first three may also go by name.
BY_NAME = ("margin", "threshold", "prior", "label")
ONE_VALUE = frozenset(
    (*BY_NAME, "confidence", "positive", "rng", "replicates", "missing", "weights_kind", "paired", "test")
)
# Arguments that may be a class, and those that are lists, which a series is not.
CLASSES = frozenset(("learners", "learner", "data", "plan", "cv", "truth", "truth_or_predictions", "X", "y", "fitted"))
LISTS = frozenset(("metric", "metrics", "labels", "models", "thresholds", "sizes"))
# Options listed where nothing is near: more are not read.
MOST_LISTED = 14


def speaks(function: Made, room: str = "te", name: str = "", *, bound: bool = False) -> Made:
    """A public function that takes other people's words for its options, and says in a sentence what it cannot take.

    >>> @speaks
    ... def interval(successes, trials, *, confidence=0.95):
    ...     return confidence
    >>> interval(3, 20, alpha=0.1), interval(3, 20, conf_level=0.8)
    (0.9, 0.8)
    >>> interval(3, 20, confidnece=0.9)
    Traceback (most recent call last):
    trueerror.inputs._words.CallError: te.interval has no option confidnece=; did you mean confidence=?
    """
    if not bound:
        list_parameters(function, f"{room}.{name or function.__name__}")
    if getattr(function, "speaks", False):
        return function
    form = CallForm(function, name, room=room, bound=bound)

    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        own, args = args[:bound], args[bound:]
        if options and not form.own.issuperset(options):
            options = form.translated(args, options)
        args, options = form.checked(*read_once(args, options))
        return answered(function, (*own, *args), options)

    called.__dict__["speaks"] = True
    return cast("Made", called)


def list_parameters(public: Any, spoken: str) -> None:
    """Put the list of parameters into a docstring, before the examples; `docs/build.py --parameters` makes it."""
    text, example, rest = inspect.cleandoc(public.__doc__ or "").partition("\n\n>>>")
    if "\n\nParameters\n---" not in text:
        public.__doc__ = "\n\n".join(part for part in (text, _lists().get(spoken, "")) if part) + example + rest


@cache
def _lists() -> dict[str, str]:
    return dict(json.loads(Path(__file__).with_name("parameters.json").read_text(encoding="utf-8")))


def answered(function: Callable[..., Any], args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    """What a function answers. An extension in Rust panics past `Exception`: such a panic is an error of the input."""
    try:
        return function(*args, **options)
    except Exception:
        raise
    except BaseException as panic:
        if type(panic).__name__ != "PanicException":
            raise
        raise InputError(f"a library cannot read these values: {panic}") from None


# Iterators without an end, and those that are files or streams of tables, which their readers take as they are.
ENDLESS = (itertools.count, itertools.cycle, itertools.repeat)
STREAMS = ("read", "schema", "description")
MASKED = "MaskedConstant"


def read_once(args: tuple[Any, ...], options: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with lists in the place of iterators, and numbers in that of what holds one number.

    >>> read_once((map(abs, [-1, 2]), {"a": iter("xy")}), {"share": Decimal("0.5")})
    (([1, 2], {'a': ['x', 'y']}), {'share': 0.5})
    """
    return tuple(map(_listed, args)), {name: _listed(value) for name, value in options.items()}


def _listed(value: Any) -> Any:
    kind = type(value).__name__
    if kind == "dict":
        return {name: None if type(one).__name__ == MASKED else _listed(one) for name, one in value.items()}
    if kind in ("ndarray", "recarray") and value.dtype.names and value.shape != ():
        return {name: value[name] for name in value.dtype.names}  # a structured array is the table of its fields
    if kind == "MaskedArray" and value.shape and value.mask.any():
        return value.tolist()
    if kind in ("list", "tuple") and "numpy.ma" in sys.modules and MASKED in str({*map(type, value)}):
        return [None if type(one).__name__ == MASKED else one for one in value]
    if hasattr(type(value), "dtype") and value.shape == () and kind != MASKED and value.dtype.kind not in "VmM":
        value = value.item()
    if type(value).__name__ in ("Decimal", "Fraction"):
        if not is_real(value):
            raise CallError(f"{value!r:.40} is no number that fits")
        return int(value) if value == int(value) and abs(value) < 2**53 else float(value)
    if not isinstance(value, Iterator | ValuesView | KeysView) or any(hasattr(value, word) for word in STREAMS):
        return value
    if isinstance(value, ENDLESS):
        raise CallError(f"{kind}() never ends; pass a list")
    return list(value)


class CallForm:
    """What a function can be called with."""

    def __init__(
        self,
        function: Callable[..., Any],
        name: str = "",
        *,
        room: str = "te",
        bound: bool = False,
        hands_on_to: Callable[..., Any] | None = None,
    ) -> None:
        kinds = inspect.Parameter
        parameters = list(inspect.signature(function).parameters.values())[1 if bound else 0 :]
        self.name = name or function.__name__
        self.spoken = f"{room}.{self.name}"
        self.any_place = any(p.kind is kinds.VAR_POSITIONAL for p in parameters)
        self.any_option = any(p.kind is kinds.VAR_KEYWORD for p in parameters)
        named = [p for p in parameters if p.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)]
        self.places = [p.name for p in named if p.kind is not kinds.KEYWORD_ONLY]
        further = [] if hands_on_to is None else inspect.signature(hands_on_to).parameters.values()
        passed_on = [p.name for p in further if p.kind is kinds.KEYWORD_ONLY]
        self.order = [*dict.fromkeys([*(p.name for p in named), *passed_on])]
        self.own = frozenset(self.order)
        self.needed = [p.name for p in named if p.default is kinds.empty]
        # What stands by its place may come as a table or a path too, which the function says better.
        self.kinds = {p.name: kind for p in named if (kind := _kind(p)) and p.name not in self.places}
        self.single = ONE_VALUE | {name for name, kind in self.kinds.items() if kind == "a word"}
        self.may_be_none = {p.name for p in named if p.default is None or "None" in str(p.annotation)}

    def translated(
        self, args: Sequence[object], options: Mapping[str, Any], more: Collection[str] = (), *, hints: bool = True
    ) -> dict[str, Any]:
        """The options by our names. `more` are taken besides the function's own, and hinted at only with `hints`."""
        taken = set(self.places[: len(args)])
        known = [name for name in self.order if name not in taken]
        out: dict[str, Any] = {}
        words: dict[str, str] = {}
        for word, value in self._averaged(args, options).items():
            ours = self._ours(word, known, more)
            if ours is None:
                if not self.any_option or more:
                    raise CallError(self._refusal(word, [*known, *(more if hints else ())]))
                ours = word
            if out.get(ours) is not None and value is not None:
                raise CallError(f"{words[ours]}= and {word}= are the same option of {self.spoken}: give one of them")
            meaning = known_words().get(word)
            if ours != word and meaning is not None:
                value = value if meaning.turned is None else meaning.turned(word, value)
                if self.name in meaning.old:
                    _note_once(f"{self.spoken}: {word}= is called {ours}= now; the old word goes in the next version")
            if out.get(ours) is None:
                out[ours], words[ours] = value, word
        return out

    def _ours(self, word: str, known: Collection[str], more: Collection[str]) -> str | None:
        if word in known:
            return word
        meaning = known_words().get(word, Word())
        our_word = next((name for name in meaning.ours if name in known), None)
        if our_word is not None and (meaning.number or word not in more):
            return our_word
        if word in more:
            return word
        return our_word or next((name for name in meaning.ours if name in more), None)

    def _averaged(self, args: Sequence[object], options: Mapping[str, Any]) -> dict[str, Any]:
        """`average="macro"` as a part of the metric's name, where one metric is named."""
        out = dict(options)
        if "average" in self.own or out.get("average") not in ("macro", "micro", "weighted"):
            return out
        where = next((w for w in ("name", "metric", "metrics", "scoring") if isinstance(out.get(w), str)), None)
        if where is not None:
            out[where] = f"{out.pop('average')}_{out[where]}"
        return out

    def _refusal(self, word: str, known: Sequence[str]) -> str:
        lead = f"{self.spoken} has no option {word}="
        meaning = known_words().get(word)
        if meaning is not None and meaning.say:
            return f"{lead}: {meaning.say}"
        near = nearest_option(word, known)
        if near:
            return f"{lead}; did you mean {near}=?"
        options = [name for name in known if name in self.own]
        if 0 < len(options) <= MOST_LISTED:
            return f"{lead}; it takes {', '.join(f'{name}=' for name in options)}"
        return f"{lead}; help({self.spoken}) lists those that there are"

    def checked(self, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, each what its name says: else one sentence, also for one too many, one too few, one twice."""
        for name in self.single.intersection(options):
            several = name not in BY_NAME and (type(options[name]).__hash__ is None or hasattr(options[name], "schema"))
            if several or getattr(options[name], "shape", ()) != ():
                raise CallError(f"{name}= of {self.spoken} is one value, and not {in_few_words(options[name])}")
        if len(args) > len(self.places) and not self.any_place:
            raise CallError(self._too_many(args))
        for name, value in (*zip(self.places, args, strict=False), *options.items()):
            if odd := _odd(name, value):
                raise CallError(f"{name}= of {self.spoken} is {odd}")
            if name in self.kinds and not (
                name in self.may_be_none if value is None else OF_KIND[self.kinds[name]](value)
            ):
                raise CallError(f"{name}={in_few_words(value)} is not {self.kinds[name]}")
        twice = next((name for name in self.places[: len(args)] if name in options), None)
        if twice is not None:
            how = f"; {said_of(self.name)}".rstrip("; ")
            raise CallError(f"{twice} is given twice to {self.spoken}: by place and by name{how}")
        filled = {*self.places[: len(args)], *options}
        missing = next((name for name in self.needed if name not in filled), None)
        if missing is not None:
            raise CallError(f"{self.spoken} needs {missing}{self._usage()}")
        for name in LISTS.intersection(options):
            if getattr(options[name], "ndim", 1) == 1 and hasattr(options[name], "__array__"):
                options = options | {name: list(options[name])}
        return args, options

    def _too_many(self, args: Sequence[object]) -> str:
        most = {0: "no argument", 1: "one argument"}.get(len(self.places), f"{len(self.places)} arguments")
        lead = f"{self.spoken} takes {most} by place, not {len(args)}"
        return f"{lead}: {said_of(self.name)}" if said_of(self.name) else f"{lead}{self._usage()}"

    def _usage(self) -> str:
        rest = [f"{name}=" for name in self.needed if name not in self.places]
        arguments = ", ".join([*self.places, *rest, *(["…"] if len(self.order) > len(self.places) + len(rest) else [])])
        return f": {self.spoken}({arguments})"


ODD = {**dict.fromkeys((MASKED, "NAType", "NaTType"), "a missing value"),
       **dict.fromkeys(("void", "record"), "a structure of NumPy; pass one field, as in v['a']"),
       **dict.fromkeys(("timedelta", "timedelta64", "Timedelta"), "a span of time")}  # fmt: skip


def _odd(name: str, value: Any) -> str:
    """What a value is that no argument can be."""
    is_class = isinstance(value, type) and name not in CLASSES
    return f"a value, and not the class {value.__name__}" if is_class else ODD.get(type(value).__name__, "")


OF_KIND: dict[str, Callable[[Any], bool]] = {
    "a word": lambda _: True,  # which one is checked where it is used
    "a number": lambda value: is_real(value),
    "a whole number": lambda value: is_real(value) and abs(float(value)) < 2**63,
    "True or False": lambda value: type(value).__name__ in ("bool", "bool_", "int"),
    "a dictionary": lambda value: hasattr(value, "items") and not hasattr(value, "columns"),
    "a dictionary by name": lambda value: OF_KIND["a dictionary"](value) and all(isinstance(k, str) for k in value),
    "a pair": lambda value: hasattr(value, "__len__") and not isinstance(value, str | bytes) and len(value) == 2,
    "a name": lambda value: not hasattr(type(value), "columns"),
    "a list": lambda value: isinstance(value, Iterable),
    "a list of numbers": lambda value: isinstance(value, Iterable) and all(map(is_real, itertools.islice(value, 1000))),
}
ANNOTATED = {"float": "a number", "float | int": "a number", "int": "a whole number", "bool": "True or False",
             "Mapping": "a dictionary", "tuple": "a pair", "ColumnChoice": "a name", "str | Sequence": "a name",
             "ColumnChoice | Sequence": "a name"}  # fmt: skip


def _kind(parameter: inspect.Parameter) -> str:
    """Which kind a value must be by its annotation; "" where it may be many things."""
    outer, _, inner = str(parameter.annotation).replace(" | None", "").rstrip("]").partition("[")
    named = outer.isalpha() and outer[0].isupper() and outer != "Any"
    if outer in ("str", "Literal") or (named and isinstance(parameter.default, str)):
        return "a word"
    if "..." in inner or parameter.name in ("confidence", "replicates", "scale"):
        return ""  # any number of them, or checked with better words where they are used
    if outer in ("Sequence", "Iterable"):
        return "a list of numbers" if {*inner.split(" | ")} <= {"float", "int"} else "a list"
    return "a dictionary by name" if outer == "Mapping" and inner.startswith("str,") else ANNOTATED.get(outer, "")


def is_real(value: Any) -> bool:
    """Whether a value is one real number, or text that spells one: NaN, times and complex numbers are none.

    >>> import datetime, decimal
    >>> is_real(decimal.Decimal("0.5")), is_real(math.nan), is_real(datetime.timedelta(1)), is_real([0.5])
    (True, False, False, False)
    """
    value = value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value
    if isinstance(value, str) or (isinstance(value, Real | Decimal) and type(value).__name__ != "timedelta64"):
        try:
            return not math.isnan(float(value))
        except (ValueError, OverflowError):
            return False
    return False


_NOTED: set[str] = set()


def _note_once(sentence: str) -> None:
    """A note to the logger, once in a session."""
    if sentence not in _NOTED:
        _NOTED.add(sentence)
        logging.getLogger("trueerror").warning(sentence)


def nearest_option(word: str, known: Iterable[str]) -> str:
    """The known option that a word is nearest to, by its spelling or by that of a word for it; "" where none is.

    >>> nearest_option("pos_lable", ["positive", "rng"]), nearest_option("zzz", ["positive"])
    ('positive', '')
    """
    names = list(known)
    spelt: dict[str, str] = {name: name for name in names}
    for other, meaning in known_words().items():
        ours = next((name for name in meaning.ours if name in names), None)
        if ours is not None:
            spelt.setdefault(other, ours)
    close = difflib.get_close_matches(word, list(spelt), n=1, cutoff=0.7)
    return spelt[close[0]] if close else ""


def option_for(word: str, known: Collection[str]) -> str:
    """Our option for a word that is plain, among those that are known; "" where there is none.

    >>> option_for("pos_label", ["positive", "rng"]), option_for("n_jobs", ["rng"])
    ('positive', '')
    """
    meaning = known_words().get(word)
    return "" if meaning is None else next((name for name in meaning.ours if name in known), "")
