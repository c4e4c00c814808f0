# SPDX-License-Identifier: BSD-3-Clause
"""Reconstruction with the arguments of tomopy.recon (TomoPy 1.15), so that a script changes one line:

    from sinodag.adapters import tomopy
    volume = tomopy.recon(tomo, theta, center=rotation_center, algorithm="gridrec")
"""
import numpy as np

from .. import BadInput
from .. import recon as _recon

# TomoPy's names, and sinodag's. gridrec inverts Fourier space by a grid, and is thus FBP up to the interpolation.
ALGORITHMS = {"gridrec": "fbp", "fbp": "fbp", "sirt": "sirt", "mlem": "mlem", "osem": "osem"}
FILTERS = {"none": "ramp", "ramlak": "ramp"}
KEYWORDS = {"num_gridx", "num_gridy", "num_iter", "num_block", "filter_name"}


def _axis(center, algorithm, columns, rows):
    """The rotation axis with 0 in the middle of a column. TomoPy's gridrec counts so, all others from the edge of column 0."""
    center = np.asarray(columns / 2 if center is None else center, dtype=float).ravel()
    if center.size not in (1, rows) or not np.all(center == center[0]):
        raise BadInput(f"center has {center.size} different values; allowed: one, since a volume has one axis")
    return center[0] - (0 if algorithm == "gridrec" else 0.5)


def _settings(algorithm, given, columns):
    """TomoPy's keywords as settings."""
    unknown = sorted(set(given) - KEYWORDS)
    if unknown:
        raise BadInput(f"{unknown[0]} is no keyword; allowed: {', '.join(sorted(KEYWORDS))}, and settings={{…}}")
    found = {"algorithm": ALGORITHMS[algorithm]}
    sides = given.get("num_gridx", columns), given.get("num_gridy", columns)
    if sides != (columns, columns):
        found["volume"] = f"{sides[0]}x{sides[1]}"
    if found["algorithm"] == "fbp":
        name = str(given.get("filter_name", "shepp"))
        found["fbp_filter"] = FILTERS.get(name, name)
    else:
        found["iterations"] = given.get("num_iter", 1)
    if algorithm == "osem":
        found["subsets"] = given.get("num_block", 1)
    return found


def recon(tomo, theta, center=None, sinogram_order=False, algorithm=None, settings=None, **kwargs):
    """Reconstructs line integrals, as tomopy.recon does.

    tomo            (angle, row, column), or with sinogram_order (row, angle, column): line integrals
    theta           radians
    center          rotation axis, by TomoPy's count: of gridrec 0 is the middle of column 0, of the other algorithms its left
                    edge. Default: half the number of columns
    algorithm       gridrec, fbp, sirt, mlem, osem
    kwargs          num_gridx, num_gridy, num_iter (default 1), num_block, filter_name (default shepp)
    settings        a dictionary of further settings of sinodag.recon, which come before those of TomoPy

    Returns float32 (row, y, x), as TomoPy. The SIRT differs: it weights rays by their lengths, TomoPy by the lengths' squares.
    mlem and osem refuse negative values, of which TomoPy makes what it can. ncore and nchunk have no meaning here:
    sinodag.start(workers=) has that of ncore.
    """
    tomo = np.asarray(tomo)
    if tomo.ndim != 3:
        raise BadInput(f"tomo has the shape {tomo.shape}; allowed: three dimensions")
    if algorithm not in ALGORITHMS:
        raise BadInput(f"algorithm is {algorithm!r}; allowed: {', '.join(ALGORITHMS)}")
    if sinogram_order:
        tomo = np.swapaxes(tomo, 0, 1)
    columns = tomo.shape[2]
    of_tomopy = _settings(algorithm, kwargs, columns)
    of_tomopy["rotation_axis"] = _axis(center, algorithm, columns, tomo.shape[1])
    # TomoPy reconstructs what it is given: stages are its users' own steps.
    plain = {"data": "line-integrals", "remove_stripe_method": "none", "zinger_removal_method": "none"}
    return _recon(tomo, theta, **{**plain, **of_tomopy, **(settings or {})})
