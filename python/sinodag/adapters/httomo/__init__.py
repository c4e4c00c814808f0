# SPDX-License-Identifier: BSD-3-Clause
"""sinodag as a method of httomo (https://github.com/DiamondLightSource/httomo). httomo finds methods in files of its package
httomo_backends; this writes those of sinodag, once for an installation:

    python3 -m sinodag.adapters.httomo

A pipeline then has

    - method: recon
      module_path: sinodag.adapters.httomo.algorithm
      parameters:
        center: ${{centering.side_outputs.centre_of_rotation}}
        algorithm: cg
        iterations: 30
"""
import pathlib

METHODS = """\
# Written by sinodag.adapters.httomo.
adapters:
  httomo:
    algorithm:
      recon:
        pattern: sinogram
        output_dims_change: True
        implementation: cpu
        memory_gpu: None
        save_result_default: True
        padding: False
"""
SIZES = '''\
# Written by sinodag.adapters.httomo.
"""Sizes of results, by which httomo makes room for them."""


def _calc_output_dim_recon(non_slice_dims_shape, **kwargs):
    """A slice of as many voxels as the detector has columns, or what the setting `volume` says."""
    volume = (kwargs.get("settings") or {}).get("volume", "auto")
    side = non_slice_dims_shape[1] if volume == "auto" else int(volume.split("x")[0])
    return (side, side)
'''


def register(folder=None):
    """Writes the description of the method into httomo_backends, or into another folder, and returns the files."""
    if folder is None:
        import httomo_backends.methods_database.packages as packages  # pylint: disable=import-outside-toplevel

        folder = pathlib.Path(packages.__file__).parent / "backends"
    base = pathlib.Path(folder) / "sinodag"
    files = {base / "sinodag.yaml": METHODS, base / "supporting_funcs" / "adapters" / "httomo" / "algorithm.py": SIZES}
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(files)
