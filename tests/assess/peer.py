"""The same assessment by shapely and geopandas: what each site shares with the layers, on two threads.

Arguments: `real` or `made`, the folder of the layers, the file of the sites, and where to write what
came out. Prints the seconds without reading.
"""
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import geopandas
import numpy
import shapely

THREADS = 2
kind, folder, sites_path, out_path = sys.argv[1:5]


def layer(name):
    return geopandas.read_file(f"{folder}/{name}.gpkg")


def pairs(sites, tree, others):
    left, right = tree.query(sites, predicate="intersects")
    return left, right, shapely.intersection(sites[left], others[right])


def majority(sites, tree, others, names):
    left, right, shared = pairs(sites, tree, others)
    areas = shapely.area(shared)
    best = [None] * len(sites)
    order = numpy.lexsort((-areas, left))
    for at in order:
        if best[left[at]] is None and areas[at] > 0:
            best[left[at]] = names[right[at]]
    return best


def in_threads(work, sites):
    parts = numpy.array_split(sites, THREADS)
    with ThreadPoolExecutor(THREADS) as pool:
        return [row for part in pool.map(work, parts) for row in part]


sites = numpy.asarray(geopandas.read_file(sites_path).geometry.values)
catchments = layer("nn_catchments")
grounds = numpy.asarray(catchments.geometry.values)
others = {name: layer(name) for name in ["wwtw_catchments", "lpa_boundaries", "subcatchments"]}
keys = {"wwtw_catchments": "WwTw_ID", "lpa_boundaries": "NAME", "subcatchments": "OPCAT_NAME"}
if kind == "made":
    parcels = layer("coefficient_layer")
    shapes = numpy.asarray(parcels.geometry.values)
    numbers = parcels[["LU_CurrNcoeff", "N_ResiCoeff"]].to_numpy()


def assess(part):
    found = []
    for name in others:
        shapes_of = numpy.asarray(others[name].geometry.values)
        found.append(majority(part, trees[name], shapes_of, others[name][keys[name]].tolist()))
    area, uplift = numpy.zeros(len(part)), numpy.zeros(len(part))
    if kind == "real":
        left, right, shared = pairs(part, trees["ground"], grounds)
        numpy.add.at(area, left, shapely.area(shared))
    else:
        hectares = numpy.round(shapely.area(part) / 10000, 2)
        left, right, shared = pairs(part, trees["parcels"], shapes)
        again, ground, pieces = pairs(shared, trees["ground"], grounds)
        size = shapely.area(pieces) / 10000
        site, parcel = left[again], right[again]
        now, houses = numbers[parcel, 0], numbers[parcel, 1]
        after = numpy.where(hectares[site] >= 1, houses * 0.8 + 0.2 * 3.0, houses)
        numpy.add.at(area, site, size * 10000)
        numpy.add.at(uplift, site, (after - now) * size)
    return list(zip(*found, area.tolist(), uplift.tolist()))


best = None
for _ in range(int(sys.argv[5])):
    began = time.perf_counter()
    trees = {name: shapely.STRtree(others[name].geometry.values) for name in others}
    trees["ground"] = shapely.STRtree(grounds)
    if kind == "made":
        trees["parcels"] = shapely.STRtree(shapes)
    rows = in_threads(assess, sites)
    took = time.perf_counter() - began
    best = took if best is None else min(best, took)
json.dump([[str(v) if v is not None and i < 3 else v for i, v in enumerate(row)] for row in rows], open(out_path, "w"))
print(best)
