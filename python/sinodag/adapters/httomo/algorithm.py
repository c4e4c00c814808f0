# SPDX-License-Identifier: BSD-3-Clause
"""The method of httomo: a block of projections, (angle, row, column), to its slices."""
import numpy as np

from ... import recon as _recon


def recon(data, angles, center=None, algorithm="fbp", iterations=None, fbp_filter=None, settings=None):
    """Reconstructs line integrals by sinodag.recon.

    data        (angle, row, column), after the logarithm
    angles      radians; httomo sets them
    center      rotation axis, where 0 is the middle of column 0, as httomo's find_center_vo finds it. Default: it is searched
    algorithm, iterations, fbp_filter
                as of sinodag.recon; None: its default
    settings    a dictionary of further settings

    Returns float32 (y, row, x), the order in which httomo keeps volumes.
    """
    usual = {"data": "line-integrals", "remove_stripe_method": "none", "zinger_removal_method": "none",
             "rotation_axis": center, "algorithm": algorithm, "iterations": iterations, "fbp_filter": fbp_filter}
    volume = _recon(data, angles, **{**usual, **(settings or {})})
    return np.ascontiguousarray(np.swapaxes(volume, 0, 1))
