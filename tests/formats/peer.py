"""Compare Strongroom's identifications with pygfried's, file by file.

    peer.py CORPUS STRONGROOM_JSON [--puids DROID_FILE_OR_LIST] [--show N] [--check]

Counts alone would hide whether a difference is a fault or a rule. So each
file is put into the first group whose rule explains it; what no rule explains
is a disagreement, listed in full. Pin pygfried 0.15.1 for a comparison on the
same signatures (V122 and container 20260119); later ones carry newer sets.
"""
import argparse
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pygfried

TEXT = "x-fmt/111"
SETTLED = {"signature", "container"}


class Answer(NamedTuple):
    """What one program said about one file."""

    puids: frozenset[str]
    by: frozenset[str]
    basis: str
    note: str


class Pair(NamedTuple):
    path: str
    ours: Answer
    theirs: Answer
    known: frozenset[str]

    def possible(self) -> set[str]:
        """The PUIDs the peer names as possible though it stays at unknown."""
        if "possibilities based on" not in self.theirs.note:
            return set()
        return set(re.findall(r"(?:x-)?fmt/\d+", self.theirs.note))


def peer_kind(basis: str) -> str:
    for word, kind in (("container ", "container"), ("byte match", "signature"),
                       ("xml match", "signature"), ("riff match", "signature"),
                       ("text match", "text"), ("extension match", "extension")):
        if word in basis:
            return kind
    return "none"


def peer_answer(file: dict) -> Answer:
    hits = [m for m in file["matches"] if m["id"] != "UNKNOWN"]
    notes = [m["warning"] for m in file["matches"] if m["warning"]]
    if file["errors"]:
        notes.append(f"error: {file['errors']}")
    return Answer(
        frozenset(m["id"] for m in hits),
        frozenset(peer_kind(m["basis"]) for m in hits),
        "; ".join(f"{m['id']} by {m['basis']}" for m in hits),
        "; ".join(notes),
    )


def our_answer(file: dict) -> Answer:
    hits = file.get("matches") or []
    notes = list(file.get("warnings") or [])
    if file.get("unknown"):
        notes.append(f"unknown: {file['unknown']}")
    return Answer(
        frozenset(m["puid"] for m in hits),
        frozenset(m["basis"]["by"] for m in hits),
        "; ".join(f"{m['puid']} by {compact(m['basis'])}" for m in hits),
        "; ".join(str(note) for note in notes),
    )


def compact(basis: dict) -> str:
    rest = {key: value for key, value in basis.items() if key != "by"}
    return f"{basis['by']} {json.dumps(rest)}" if rest else str(basis["by"])


def only(answer: Answer, *kinds: str) -> bool:
    return bool(answer.puids) and answer.by <= set(kinds)


# The first rule that holds names the group; the order is part of the meaning.
RULES: tuple[tuple[str, str, Callable[[Pair], bool]], ...] = (
    ("same", "the same PUIDs on the same kind of evidence (or both unknown)",
     lambda p: p.ours.puids == p.theirs.puids
     and (p.ours.by == p.theirs.by or p.ours.by | p.theirs.by <= SETTLED)),
    ("same, other evidence", "the same PUIDs, one by extension or text, the other by more",
     lambda p: p.ours.puids == p.theirs.puids),
    ("peer's set is newer", "the peer names a PUID that our signature set does not have",
     lambda p: bool(p.known) and not p.theirs.puids <= p.known),
    ("both by content, one of several", "they share a PUID found by content, one side has more",
     lambda p: bool(p.ours.puids & p.theirs.puids) and bool((p.ours.by | p.theirs.by) & SETTLED)),
    ("by extension, one of several", "they share a PUID that only the extension or text gave",
     lambda p: bool(p.ours.puids & p.theirs.puids)),
    ("extension or text", "neither found a signature: one trusts the extension, the other the text",
     lambda p: only(p.ours, "extension", "text") and only(p.theirs, "extension", "text")),
    ("ours by extension, peer hints", "the peer says unknown but names ours as possible by extension",
     lambda p: not p.theirs.puids and only(p.ours, "extension") and p.ours.puids <= p.possible()),
    ("ours text, peer unknown", "the peer tests for text only where no format, or x-fmt/111, has the extension",
     lambda p: not p.theirs.puids and only(p.ours, "text")),
    ("ours by extension, peer unknown", "only we accept the extension",
     lambda p: not p.theirs.puids and only(p.ours, "extension", "text")),
    ("ours by content, peer unknown", "we found a signature, the peer none",
     lambda p: not p.theirs.puids and bool(p.ours.puids)),
    ("ours unknown, peer text", "the peer accepts the first 4,096 bytes as text",
     lambda p: not p.ours.puids and only(p.theirs, "text")),
    ("ours unknown, peer by extension", "only the peer accepts the extension",
     lambda p: not p.ours.puids and only(p.theirs, "extension")),
    ("ours unknown, peer by content", "the peer found a signature, we none",
     lambda p: not p.ours.puids and bool(p.theirs.puids)),
    ("ours by content, peer not", "we found a signature, the peer went by extension or text",
     lambda p: bool(p.ours.by & SETTLED) and only(p.theirs, "extension", "text")),
    ("peer by content, ours not", "the peer found a signature, we went by extension or text",
     lambda p: bool(p.theirs.by & SETTLED) and only(p.ours, "extension", "text")),
    ("disagreement", "both found content signatures, of different formats", lambda p: True),
)
QUIET = {"same"}
# What no rule of ours explains, where the file is whole: one of the two must be wrong.
WRONG = {"disagreement", "ours unknown, peer by content", "peer by content, ours not",
         "extension or text", "ours by extension, peer unknown"}


def group_of(pair: Pair) -> str:
    return next(name for name, _, holds in RULES if holds(pair))


def read_known(path: Path | None) -> frozenset[str]:
    """PUIDs from a DROID signature file or a plain list."""
    if path is None:
        return frozenset()
    text = path.read_text(encoding="utf-8")
    found = re.findall(r'PUID="([^"]+)"', text) or text.split()
    return frozenset(found)


def read_ours(path: Path, corpus: Path) -> tuple[dict[str, dict], dict]:
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    files = {}
    for one in report["files"]:
        if one.get("kind", "file") not in ("file", "empty", "unreadable"):
            continue
        name = one["path"]
        if not os.path.isabs(name) and not os.path.exists(name):
            name = os.path.join(corpus, name)
        files[os.path.abspath(name)] = one
    return files, report.get("signatures", {})


def ask_peer(corpus: Path) -> tuple[dict[str, dict], str]:
    reply = pygfried.identify_dir(str(corpus), recursive=True, workers=os.cpu_count() or 1)
    details = "; ".join(entry["details"] for entry in reply["identifiers"])
    files = {os.path.abspath(file["filename"]): file for file in reply["files"]}
    return files, f"Siegfried {reply['siegfried']} ({details})"


def show(pair: Pair, corpus: Path) -> None:
    def line(who: str, answer: Answer) -> str:
        note = answer.note if len(answer.note) <= 160 else answer.note[:160] + "..."
        return f"      {who}: {answer.basis or 'unknown'}" + (f"  [{note}]" if note else "")

    print(f"    {os.path.relpath(pair.path, corpus)}")
    print(line("ours", pair.ours))
    print(line("peer", pair.theirs))


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare Strongroom with pygfried.")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("report", type=Path, help="output of strongroom identify --json")
    parser.add_argument("--puids", type=Path, help="DROID signature file or list of PUIDs")
    parser.add_argument("--show", type=int, default=12, help="files listed per group")
    parser.add_argument("--check", action="store_true",
                        help="exit 1 if a file that is not in broken/ differs without a reason")
    given = parser.parse_args()
    corpus = given.corpus.absolute()
    ours, signatures = read_ours(given.report, corpus)
    theirs, peer = ask_peer(corpus)
    known = read_known(given.puids)
    groups: dict[str, list[Pair]] = {name: [] for name, _, _ in RULES}
    for path in sorted(ours.keys() & theirs.keys()):
        pair = Pair(path, our_answer(ours[path]), peer_answer(theirs[path]), known)
        groups[group_of(pair)].append(pair)
    print(f"ours: {json.dumps(signatures)}\npeer: {peer}")
    for name, why, _ in RULES:
        if name in QUIET or not groups[name]:
            continue
        print(f"\n== {name}: {len(groups[name])}\n   {why}")
        # A disagreement is never cut short.
        most = len(groups[name]) if name == "disagreement" else given.show
        for pair in groups[name][:most]:
            show(pair, corpus)
        if len(groups[name]) > most:
            print(f"    ... and {len(groups[name]) - most} more")
    for label, paths in (("only in ours", ours.keys() - theirs.keys()),
                         ("only in the peer's", theirs.keys() - ours.keys())):
        for path in sorted(paths)[: given.show]:
            print(f"{label}: {os.path.relpath(path, corpus)}")
    print("\ncounts")
    for name, _, _ in RULES:
        print(f"  {len(groups[name]):6d}  {name}")
    print(f"  {len(ours.keys() - theirs.keys()):6d}  only in ours")
    print(f"  {len(theirs.keys() - ours.keys()):6d}  only in the peer's")
    print(f"  {len(ours.keys() & theirs.keys()):6d}  compared")
    broken = str(corpus / "broken")
    wrong = [pair.path for name in WRONG for pair in groups[name]
             if not pair.path.startswith(broken)]
    if given.check and wrong:
        raise SystemExit("without a reason: " + ", ".join(sorted(wrong)))


if __name__ == "__main__":
    main()
