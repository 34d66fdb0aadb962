"""Plain FFT correlation of a clip with an episode, normalised, as one would write it with scipy."""

import sys
import time
import wave

import numpy as np
from scipy import signal


def read(path):
    with wave.open(path) as file:
        return np.frombuffer(file.readframes(file.getnframes()), dtype=np.int16)


def normalised(correlate, episode, clip):
    scores = correlate(episode, clip)
    energy = np.concatenate(([0.0], np.cumsum(episode.astype(np.float64) ** 2)))
    window = energy[len(clip):] - energy[: len(energy) - len(clip)]
    scores /= np.sqrt(np.maximum(window, 1e-9) * np.sum(clip.astype(np.float64) ** 2))
    return np.flatnonzero(scores > 0.5)


def whole(episode, clip):
    return signal.correlate(episode, clip, mode="valid", method="fft")


def blocks(episode, clip):
    return signal.oaconvolve(episode, clip[::-1], mode="valid")


def main():
    episode, clip = (read(path).astype(np.float32) / 32768 for path in sys.argv[1:3])
    low = [np.ascontiguousarray(it[: len(it) // 4 * 4].reshape(-1, 4).mean(axis=1)) for it in (episode, clip)]
    for name, correlate, pair in [
        ("correlate, 22,050 Hz", whole, (episode, clip)),
        ("oaconvolve, 22,050 Hz", blocks, (episode, clip)),
        ("oaconvolve, 5,512 Hz", blocks, low),
    ]:
        began = time.perf_counter()
        normalised(correlate, *pair)
        print(f"{name} {time.perf_counter() - began:.3f}", flush=True)


main()
