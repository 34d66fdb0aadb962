"""Make a corpus of real files to compare two format identifiers on.

    gather.py FOLDER [--samples CACHE]

Four parts, so that no single maker's habits decide the result: files of this
machine (system/), test data of the packages that fetch.py downloaded
(samples/), files written by libraries (made/, see made.py) and damaged or
misnamed copies (broken/). Every choice is by name and size only, never by
time or chance, so two runs on one machine choose the same files.
"""
import argparse
import os
import shutil
import sys
import tarfile
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import made

SYSTEM = ("/usr/share", "/usr/lib", "/usr/bin", "/var/cache/apt/archives", "/etc")
LARGEST = 4 << 20
SYSTEM_FILES, SYSTEM_EACH = 900, 8
SAMPLE_FILES, SAMPLE_EACH = 1400, 24
CONTAINERS = {
    ".docx", ".xlsx", ".pptx", ".xls", ".doc", ".ppt", ".odt", ".ods", ".odp",
    ".epub", ".zip", ".jar", ".msg", ".pdf", ".tar", ".gz", ".7z", ".xps",
}
MISNAMED = {
    ".docx": ".pdf", ".xlsx": ".zip", ".pptx": ".docx", ".xls": ".doc",
    ".odt": ".docx", ".pdf": ".txt", ".png": ".jpg", ".jpg": ".png",
    ".tif": ".bmp", ".gif": "", ".zip": ".jar", ".epub": ".zip", ".wav": ".mp3",
    ".sqlite": ".db", ".html": ".xml", ".csv": "", ".mp4": ".zzz",
}


class Found(NamedTuple):
    """One candidate: its name in its source, and how to order it."""

    where: str
    size: int


def extension(name: str) -> str:
    """The extension a cap counts by: `.so.6` and `.3` are one kind each."""
    suffix = os.path.splitext(name)[1].lower()
    return ".0" if suffix[1:].isdigit() else suffix


def spread(found: Iterable[Found], each: int, most: int) -> list[Found]:
    """At most `each` per extension and `most` in all, rare extensions first.

    Within an extension the order is by CRC of the name: scattered over the
    folders, yet the same on each run. Names without one get four turns.
    """
    kinds: dict[str, list[Found]] = defaultdict(list)
    for one in found:
        if one.size <= LARGEST:
            kinds[extension(one.where)].append(one)
    rounds: list[tuple[int, str, Found]] = []
    for kind, ones in sorted(kinds.items()):
        ones.sort(key=lambda one: (zlib.crc32(os.fsencode(one.where)), one.where))
        share = 4 if kind == "" else 1
        rounds += [(n // share, kind, one) for n, one in enumerate(ones[:each * share])]
    rounds.sort(key=lambda entry: entry[:2])
    return [one for _, _, one in rounds[:most]]


def place(root: Path, where: str) -> Path:
    """A path that keeps the file's own name and cannot collide."""
    head, name = os.path.split(where)
    folder = root / f"{zlib.crc32(os.fsencode(head)):08x}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name


def system_files() -> Iterator[Found]:
    for root in SYSTEM:
        for folder, folders, names in os.walk(root):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                if os.access(path, os.R_OK):
                    yield Found(path, os.path.getsize(path))


def take_system(target: Path) -> None:
    for one in spread(system_files(), SYSTEM_EACH, SYSTEM_FILES):
        shutil.copyfile(one.where, place(target, one.where))


def listed(package: Path) -> list[Found]:
    if package.suffix == ".zip":
        with zipfile.ZipFile(package) as pack:
            return [Found(f"{package.name}/{i.filename}", i.file_size)
                    for i in pack.infolist() if not i.is_dir()]
    with tarfile.open(package) as pack:
        return [Found(f"{package.name}/{m.name}", m.size) for m in pack if m.isfile()]


def unpack(package: Path, names: set[str], target: Path) -> None:
    if package.suffix == ".zip":
        with zipfile.ZipFile(package) as pack:
            for name in sorted(names):
                place(target, f"{package.name}/{name}").write_bytes(pack.read(name))
        return
    with tarfile.open(package) as pack:
        for member in pack:
            if member.isfile() and member.name in names:
                data = pack.extractfile(member)
                if data:
                    place(target, f"{package.name}/{member.name}").write_bytes(data.read())


def take_samples(cache: Path, target: Path) -> None:
    packages = {p.name: p for p in sorted(cache.iterdir()) if p.is_file()}
    found = [one for p in packages.values() for one in listed(p)]
    chosen: dict[str, set[str]] = defaultdict(set)
    for one in spread(found, SAMPLE_EACH, SAMPLE_FILES):
        package, name = one.where.split("/", 1)
        chosen[package].add(name)
    for package, names in chosen.items():
        unpack(packages[package], names, target)


def one_per_kind(folders: Iterable[Path], kinds: Iterable[str], each: int) -> list[Path]:
    counts: Counter[str] = Counter()
    picked = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            kind = path.suffix.lower()
            if path.is_file() and kind in kinds and path.stat().st_size > 64:
                counts[kind] += 1
                if counts[kind] <= each:
                    picked.append(path)
    return picked


def break_files(folders: list[Path], target: Path) -> None:
    """Damaged and misnamed copies, and files of nothing."""
    target.mkdir(parents=True)
    for n, path in enumerate(one_per_kind(folders, CONTAINERS, 4)):
        data, kind = path.read_bytes(), path.suffix.lower()
        for label, part in (("half", data[: len(data) // 2]), ("tail", data[:-9]),
                            ("head", data[:100]), ("late", data[16:])):
            (target / f"{label}-{n}{kind}").write_bytes(part)
    for n, path in enumerate(one_per_kind(folders, MISNAMED, 2)):
        kind = path.suffix.lower()
        name = f"was-{kind[1:]}-{n}{MISNAMED[kind]}"
        shutil.copyfile(path, target / name)
    for name in ("empty", "empty.txt", "empty.pdf", "empty.docx", "empty.csv", "empty.zzz"):
        (target / name).touch()
    noise = bytes((i * 197 + 31) % 256 for i in range(5000))
    for kind in ("", ".pdf", ".txt", ".csv", ".doc", ".zzz", ".bin", ".dat", ".xml"):
        (target / f"noise{kind}").write_bytes(noise)
        (target / f"zeros{kind}").write_bytes(bytes(5000))
        (target / f"words{kind}").write_text("only some words\n")


def show(root: Path) -> None:
    files = [p for p in root.rglob("*") if p.is_file()]
    parts = Counter(p.relative_to(root).parts[0] for p in files)
    kinds = Counter(p.suffix.lower() for p in files)
    size = sum(p.stat().st_size for p in files)
    print(f"{len(files)} files, {size / 1e6:.1f} MB, {len(kinds)} extensions, {dict(parts)}")
    print(" ".join(f"{k or '(none)'}:{n}" for k, n in kinds.most_common(60)))


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a corpus of real files.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--samples", type=Path, help="the folder fetch.py filled")
    given = parser.parse_args()
    if given.folder.exists() and any(given.folder.iterdir()):
        raise SystemExit(f"{given.folder} is not empty")
    take_system(given.folder / "system")
    made_at = given.folder / "made"
    made_at.mkdir(parents=True)
    for problem in made.make_all(made_at):
        print(problem, file=sys.stderr)
    sources = [made_at]
    if given.samples:
        take_samples(given.samples, given.folder / "samples")
        sources.append(given.folder / "samples")
    break_files(sources, given.folder / "broken")
    show(given.folder)


if __name__ == "__main__":
    main()
