"""The manifest of a store: which plan, data, learners and seed its results are for."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from trueerror.inputs.errors import InputError
from trueerror.version import __version__

FORMAT = 1
logger = logging.getLogger("trueerror")
NAME = "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What the results in a store are for. Learners may be added; all else stays as it was."""

    seed: int
    plan: dict[str, Any]
    plan_fingerprint: str
    data: tuple[dict[str, Any], ...]
    learners: tuple[dict[str, Any], ...]
    balance: str | None = None
    # Of Python and of the packages behind the learners: results may change with them.
    versions: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT
    trueerror: str = __version__

    def to_json(self) -> bytes:
        """The manifest as text."""
        return (json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def read_manifest(content: bytes, place: str) -> Manifest:
    """A manifest from its text."""
    try:
        given = json.loads(content)
        version = given["format"]
        if version != FORMAT:
            raise InputError(
                f"the store {place} has format {version}, but this version of trueerror knows format {FORMAT}; "
                f"it was written by trueerror {given.get('trueerror', '?')}: use that version, or another folder"
            )
        given = {**given, "data": tuple(given["data"]), "learners": tuple(given["learners"])}
        return Manifest(**given)
    except InputError:
        raise
    except (ValueError, KeyError, TypeError):
        raise InputError(f"the manifest of the store {place} is damaged; use another folder, or delete it") from None


def reconcile(old: Manifest, new: Manifest, place: str) -> Manifest:
    """The manifest of a store that is to go on with `new`; other work than the store's is refused."""
    ours = f"the store {place} is for"
    way_out = "use another folder, or the same settings to go on"
    if old.plan_fingerprint != new.plan_fingerprint:
        raise InputError(f"{ours} another plan: {words(old.plan)}, not {words(new.plan)}; {way_out}")
    if old.seed != new.seed:
        raise InputError(f"{ours} seed {old.seed}, not {new.seed}; {way_out}")
    if old.balance != new.balance:
        raise InputError(f"{ours} balance={old.balance!r}, not {new.balance!r}; {way_out}")
    before, now = ({d["name"]: d for d in m.data} for m in (old, new))
    if set(before) != set(now):
        raise InputError(f"{ours} other data sets: {', '.join(before)}, not {', '.join(now)}; {way_out}")
    for name, data in before.items():
        if data["fingerprint"] != now[name]["fingerprint"]:
            raise InputError(
                f"{ours} other rows of data set {name!r} ({data['rows']:,} rows then, {now[name]['rows']:,} now, "
                f"or other values); {way_out}"
            )
    known = {item["name"]: item for item in old.learners}
    for item in new.learners:
        if item["name"] in known and known[item["name"]]["fingerprint"] != item["fingerprint"]:
            raise InputError(
                f"{ours} a learner {item['name']!r} with other settings ({known[item['name']]['words']:.80}, not "
                f"{item['words']:.80}); give the new one another name, or use another folder"
            )
    changed = [
        f"{package} {version} then, {new.versions[package]} now"
        for package, version in old.versions.items()
        if new.versions.get(package, version) != version
    ]
    if changed:
        logger.warning("%s other versions (%s): what is fitted now may differ from what was", ours, ", ".join(changed))
    added = tuple(item for item in new.learners if item["name"] not in known)
    return replace(old, learners=(*old.learners, *added))


def words(plan: dict[str, Any]) -> str:
    """A plan in words, from its settings."""
    inside = ", ".join(f"{k}={words(v) if isinstance(v, dict) else v}" for k, v in plan.items() if k != "plan")
    return f"{plan['plan']}({inside})"
