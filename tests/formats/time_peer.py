"""Time pygfried over the files of a folder, read from the page cache.

    time_peer.py CORPUS ROUNDS [--threads N] [--processes N] [--limit N]

One JSON line: the best round. Two ways to use the cores: Go's own workers in
one process (--threads) and separate processes (--processes, the faster one on
two cores). With neither flag both are timed and the faster one is printed.
CORPUS may be several folders, joined by ":". start_seconds is a fresh
interpreter identifying the first file, because the engine loads its
signatures once per process.
"""
import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import time

import pygfried


def files_under(roots: str, limit: int) -> list[str]:
    found: list[str] = []
    for root in roots.split(":"):
        for folder, folders, names in os.walk(root):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                if os.path.isfile(path) and not os.path.islink(path):
                    found.append(path)
    return found[:limit] if limit else found


def warm(paths: list[str]) -> int:
    """Bring each file into the page cache; return the bytes."""
    total = 0
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            while block := file.read(1 << 20):
                total += len(block)
    return total


def start_seconds(path: str) -> float:
    code = "import sys, pygfried; pygfried.identify(sys.argv[1], True)"
    best = float("inf")
    for _ in range(3):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code, path], check=True)
        best = min(best, time.perf_counter() - begin)
    return best


def own_peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def part(paths: list[str]) -> tuple[int, int, float]:
    """Answers, and which process has used how much memory so far."""
    count = len(pygfried.identify_many(paths, workers=1)["files"])
    return count, os.getpid(), own_peak_mib()


def by_threads(paths: list[str], rounds: int, threads: int) -> tuple[float, float]:
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        done = len(pygfried.identify_many(paths, workers=threads)["files"])
        best = min(best, time.perf_counter() - begin)
        check(done, paths)
    return best, own_peak_mib()


def by_processes(paths: list[str], rounds: int, processes: int) -> tuple[float, float]:
    best, peaks = float("inf"), {os.getpid(): own_peak_mib()}
    parts = [paths[n:n + 100] for n in range(0, len(paths), 100)]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        pool.map(part, [paths[:1]] * processes * 4, chunksize=1)
        for _ in range(rounds):
            begin, done = time.perf_counter(), 0
            for count, process, peak in pool.imap_unordered(part, parts):
                done += count
                peaks[process] = peak
            best = min(best, time.perf_counter() - begin)
            check(done, paths)
    return best, sum(peaks.values())


def check(done: int, paths: list[str]) -> None:
    if done != len(paths):
        raise SystemExit(f"{done} answers for {len(paths)} files")


def main() -> None:
    parser = argparse.ArgumentParser(description="Time pygfried.")
    parser.add_argument("corpus")
    parser.add_argument("rounds", type=int)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--processes", type=int, default=0)
    parser.add_argument("--limit", type=int, default=0)
    given = parser.parse_args()
    paths = files_under(given.corpus, given.limit)
    size = warm(paths)
    start = start_seconds(paths[0])
    threads, processes = given.threads, given.processes
    if not threads and not processes:
        threads = processes = os.cpu_count() or 1
    # Processes first: what this process has used counts towards their peak.
    results = []
    if processes:
        results.append((*by_processes(paths, given.rounds, processes), f"{processes} processes"))
    if threads:
        results.append((*by_threads(paths, given.rounds, threads), f"{threads} go workers"))
    best, peak, way = min(results)
    print(json.dumps({
        "peer": f"siegfried {pygfried.version()}", "way": way,
        "files": len(paths), "bytes": size, "seconds": round(best, 3),
        "files_per_second": round(len(paths) / best, 1),
        "mb_per_second": round(size / best / 1e6, 1),
        "peak_rss_mib": round(peak, 1),
        "start_seconds": round(start, 3),
    }))


if __name__ == "__main__":
    main()
