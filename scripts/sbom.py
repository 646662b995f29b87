"""`python scripts/sbom.py FILE`: what an installation brings, as CycloneDX 1.5; the same bytes each time."""

from __future__ import annotations

import json
import re
import sys
import uuid
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement


def needs(package: Distribution) -> list[str]:
    """What a package needs here, without extras."""
    found = []
    for line in package.requires or ():
        wanted = Requirement(line)
        if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
            found.append(plain(wanted.name))
    return sorted(set(found))


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def licence(package: Distribution) -> str:
    about = package.metadata
    kinds = [c.rpartition(" :: ")[2] for c in about.get_all("Classifier") or () if c.startswith("License ::")]
    words = about.get("License-Expression") or " and ".join(kinds) or (about.get("License") or "").split("\n")[0]
    return words.strip()[:100] or "not stated"


def closure(first: str) -> dict[str, Distribution]:
    """A package and all that it needs, by name."""
    found: dict[str, Distribution] = {}
    waiting = [first]
    while waiting:
        name = waiting.pop()
        if name not in found:
            try:
                found[name] = distribution(name)
            except PackageNotFoundError:
                sys.exit(f"{name} is needed and not installed")
            waiting += needs(found[name])
    return dict(sorted(found.items()))


def bill(first: str = "trueerror") -> dict[str, object]:
    packages = closure(first)
    urls = {name: f"pkg:pypi/{name}@{one.version}" for name, one in packages.items()}
    components = [
        {"type": "library", "bom-ref": urls[name], "name": name, "version": one.version, "purl": urls[name],
         "licenses": [{"license": {"name": licence(one)}}]}
        for name, one in packages.items()
    ]  # fmt: skip
    graph = [{"ref": urls[name], "dependsOn": [urls[n] for n in needs(one)]} for name, one in packages.items()]
    (own,) = [c for c in components if c["name"] == first]
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(components, sort_keys=True))
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{number}", "version": 1,
        "metadata": {"component": own}, "components": [c for c in components if c is not own], "dependencies": graph,
    }  # fmt: skip


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(bill(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
