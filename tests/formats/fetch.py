"""Download the pinned sample packages of samples.txt into a folder.

Their test data are real files from many programs and decades, which no set of
writer libraries can replace. Each download is checked against its SHA-256.
"""
import hashlib
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

from pip._internal.models.index import PyPI

LIST = Path(__file__).with_name("samples.txt")


def index() -> str:
    """The package index that pip uses on this machine."""
    asked = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"],
                           capture_output=True, text=True)
    found = os.environ.get("PIP_INDEX_URL") or asked.stdout.strip() or PyPI.simple_url
    return found.rstrip("/") + "/"


def wanted() -> list[tuple[str, str, str]]:
    lines = [line.split() for line in LIST.read_text().splitlines()]
    return [(a[0], a[1], a[2]) for a in lines if a and not a[0].startswith("#")]


def address(project: str, file: str) -> str:
    page = f"{index()}{project}/"
    with urllib.request.urlopen(page, timeout=60) as reply:
        text = reply.read().decode()
    for link in re.findall(r'href="([^"]+)"', text):
        url = urllib.parse.urljoin(page, link).split("#")[0]
        if url.rsplit("/", 1)[1] == file:
            return url
    raise SystemExit(f"{file} is not on {page}")


def fetch(project: str, file: str, digest: str, folder: Path) -> None:
    target = folder / file
    if target.exists() and hashlib.sha256(target.read_bytes()).hexdigest() == digest:
        return
    with urllib.request.urlopen(address(project, file), timeout=120) as reply:
        data = reply.read()
    if hashlib.sha256(data).hexdigest() != digest:
        raise SystemExit(f"{file}: not the pinned bytes")
    target.write_bytes(data)


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: fetch.py FOLDER")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for project, file, digest in wanted():
        fetch(project, file, digest, folder)
    print(f"{len(wanted())} sample packages in {folder}")


if __name__ == "__main__":
    main()
