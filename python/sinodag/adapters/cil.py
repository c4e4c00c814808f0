# SPDX-License-Identifier: BSD-3-Clause
"""A projection operator of CIL (https://github.com/TomographicImaging/CIL) on cores, for its algorithms:

    from sinodag.adapters.cil import ProjectionOperator
    A = ProjectionOperator(image_geometry, acquisition_geometry)
    algorithm = CGLS(initial=image_geometry.allocate(0), operator=A, data=data)

The arguments are those of CIL's own ProjectionOperator. Parallel beams, in 2D or 3D, whose axis is parallel to the detector's
columns; voxels are as large as pixels, slices square. Volumes of CIL have vertical first, and so have its projections for
ASTRA (vertical, angle, horizontal); any order of the projections will do here.
"""
import numpy as np
from cil.optimisation.operators import LinearOperator

from .. import BadInput
from .. import Operator as _Operator


def _require(holds, what, allowed):
    if not holds:
        raise BadInput(f"{what}; allowed: {allowed}")


class ProjectionOperator(LinearOperator):
    """A of sinodag between CIL's images and acquisitions. `settings` are those of sinodag.Operator."""

    def __init__(self, image_geometry=None, acquisition_geometry=None, **settings):
        _require(acquisition_geometry is not None, "there is no acquisition_geometry", "an AcquisitionGeometry")
        image_geometry = image_geometry or acquisition_geometry.get_ImageGeometry()
        super().__init__(domain_geometry=image_geometry, range_geometry=acquisition_geometry)
        self._scale = acquisition_geometry.pixel_size_h  # lengths of rays are in its unit
        self._check(image_geometry, acquisition_geometry)
        self._operator = _Operator(
            self._angles(acquisition_geometry),
            acquisition_geometry.pixel_num_h,
            center=self._center(acquisition_geometry),
            slices=max(1, image_geometry.voxel_num_z),
            volume=f"{image_geometry.voxel_num_x}x{image_geometry.voxel_num_y}",
            **settings,
        )

    def _check(self, image, acquisition):
        _require(str(acquisition.geom_type).lower().endswith("parallel"), f"the beam is {acquisition.geom_type}", "parallel")
        _require(acquisition.channels == 1, f"there are {acquisition.channels} channels", "1")
        sides = {"x": image.voxel_size_x, "y": image.voxel_size_y}
        if image.voxel_num_z:
            sides["z"] = image.voxel_size_z
            _require(image.voxel_num_z == acquisition.pixel_num_v, f"there are {image.voxel_num_z} slices",
                     f"{acquisition.pixel_num_v}, one for each row of the detector")
        for axis, side in sides.items():
            _require(np.isclose(side, self._scale), f"voxels have the size {side:g} along {axis}", f"{self._scale:g}, a pixel's")
        shift = (image.center_x, image.center_y, image.center_z)
        _require(not any(shift), f"the image is centered at {shift}", "(0, 0, 0), on the rotation axis")
        _require(acquisition.config.panel.origin == "bottom-left",
                 f"the panel's origin is {acquisition.config.panel.origin}", "bottom-left")

    @staticmethod
    def _angles(acquisition):
        angles = acquisition.config.angles
        given = np.asarray(angles.angle_data, dtype=float) + angles.initial_angle
        return np.deg2rad(given) if str(angles.angle_unit).lower().endswith("degree") else given

    @staticmethod
    def _center(acquisition):
        found = acquisition.get_centre_of_rotation(distance_units="pixels")
        tilt = float(found["angle"][0])
        _require(abs(tilt) < 1e-9, f"the axis is tilted by {tilt:g} rad", "an axis parallel to the detector's columns")
        return (acquisition.pixel_num_h - 1) / 2 + float(found["offset"][0])

    @staticmethod
    def _turn(container, wanted):
        """The container's values in an order of dimensions; for 2D, as they are."""
        labels = [str(getattr(label, "value", label)) for label in container.dimension_labels]
        order = [labels.index(name) for name in wanted if name in labels]
        return np.transpose(container.as_array(), order)

    def _give(self, values, geometry, wanted, out):
        """Values in the order `wanted` as a container of the geometry."""
        result = geometry.allocate(None) if out is None else out
        labels = [str(getattr(label, "value", label)) for label in result.dimension_labels]
        present = [name for name in wanted if name in labels]
        result.fill(np.transpose(values * np.float32(self._scale), [present.index(name) for name in labels]))
        return result

    def direct(self, x, out=None):
        """A x."""
        images = self._turn(x, ("vertical", "horizontal_y", "horizontal_x"))
        return self._give(self._operator @ images, self.range_geometry(), ("vertical", "angle", "horizontal"), out)

    def adjoint(self, x, out=None):
        """Aᵀ x."""
        rays = self._turn(x, ("vertical", "angle", "horizontal"))
        return self._give(self._operator.T @ rays, self.domain_geometry(), ("vertical", "horizontal_y", "horizontal_x"), out)
