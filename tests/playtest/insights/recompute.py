"""Computes figures of a study again from the CSV files of its export: `python recompute.py FOLDER ROUND_KEY`.

It imports nothing but the standard library and nothing of the program: seeded draws are splitmix64 over a digest, as
`docs/statistics.md` and `engine/rng.py` say. It prints one JSON object. Slow and simple.
"""

import csv
import hashlib
import json
import statistics
import sys
from pathlib import Path

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
RESAMPLES, SEED = 2000, 1
NORMAL = statistics.NormalDist()


def mix(value):
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & MASK
    return value ^ (value >> 31)


def resamples(values):
    """Lists of as many values, drawn with replacement."""
    digest = int.from_bytes(hashlib.sha256(b"bootstrap").digest()[:8], "little")
    state = mix((mix((SEED + GOLDEN) & MASK) ^ digest) & MASK)
    for _ in range(RESAMPLES):
        drawn = []
        for _ in values:
            state = (state + GOLDEN) & MASK
            drawn.append(values[((mix(state) >> 32) * len(values)) >> 32])
        yield drawn


def quantile(values, share):
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = min(int(place), len(ordered) - 2)
    return ordered[low] + (place - low) * (ordered[low + 1] - ordered[low])


def mean_interval(values):
    """The mean with its BCa interval."""
    n, mean = len(values), statistics.fmean(values)
    means = [sum(drawn) / n for drawn in resamples(values)]
    near = 1e-9 * (1 + abs(mean))
    below = sum(one < mean - near for one in means) + sum(abs(one - mean) <= near for one in means) / 2
    bias = NORMAL.inv_cdf(below / RESAMPLES)
    without = [(sum(values) - value) / (n - 1) for value in values]
    influence = [(n - 1) * (statistics.fmean(without) - one) / n for one in without]
    acceleration = sum(one**3 for one in influence) / (6 * sum(one**2 for one in influence) ** 1.5)
    ends = []
    for share in (0.025, 0.975):
        shifted = bias + NORMAL.inv_cdf(share)
        ends.append(quantile(means, NORMAL.cdf(bias + shifted / (1 - acceleration * shifted))))
    return [mean, *ends]


def median_interval(values):
    medians = [statistics.median(drawn) for drawn in resamples(values)]
    return [statistics.median(values), quantile(medians, 0.025), quantile(medians, 0.975)]


def read(folder, name):
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def main(folder, key):
    rounds = [
        one
        for one in read(folder, "rounds")
        if (one["kind"], one["purpose"], one["state"], one["use"]) == ("person", "scored", "done", "include")
    ]
    own = [one for one in rounds if one["key"] == key]
    scores = [float(one["score"]) for one in own]
    legal = {one["round"]: [] for one in own}
    for move in read(folder, "moves"):
        if move["round"] in legal and move["kind"] == "move":
            legal[move["round"]].append(int(move["legal_before"]))
    return {
        "n": len({one["participant"] for one in own}),
        "mean": mean_interval(scores),
        "median": median_interval(scores),
        "least": min(scores),
        "most": max(scores),
        "legal": mean_interval([statistics.fmean(legal[one["round"]]) for one in own]),
        "legal_second": mean_interval([float(legal[one["round"]][1]) for one in own]),
    }


if __name__ == "__main__":
    json.dump(main(Path(sys.argv[1]), sys.argv[2]), sys.stdout)
