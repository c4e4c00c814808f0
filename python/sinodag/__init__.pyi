# SPDX-License-Identifier: BSD-3-Clause
# Made by python/make_stubs from the settings table.
from typing import Any, Callable, Literal, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

class Error(Exception): ...
class BadInput(Error, ValueError): ...
class Failed(Error, RuntimeError): ...

class _Linear:
    shape: Tuple[int, int]
    dtype: np.dtype[Any]
    def __matmul__(self, values: ArrayLike) -> NDArray[Any]: ...
    def dot(self, values: ArrayLike) -> NDArray[Any]: ...
    def matvec(self, values: ArrayLike) -> NDArray[Any]: ...
    def matmat(self, values: ArrayLike) -> NDArray[Any]: ...
    def rmatvec(self, values: ArrayLike) -> NDArray[Any]: ...
    def rmatmat(self, values: ArrayLike) -> NDArray[Any]: ...
    @property
    def T(self) -> "_Linear": ...
    @property
    def H(self) -> "_Linear": ...
    def aslinearoperator(self) -> Any: ...

class _Subset(_Linear):
    number: int
    angles: Optional[int]
    columns: Optional[int]
    side: Optional[int]
    image_shape: Tuple[int, ...]
    projection_shape: Tuple[int, ...]
    def project(self, images: ArrayLike, out: Optional[Any] = None) -> NDArray[Any]: ...
    def backproject(self, projections: ArrayLike, out: Optional[Any] = None) -> NDArray[Any]: ...

class Operator(_Linear):
    angles: Optional[int]
    columns: Optional[int]
    side: Optional[int]
    image_shape: Tuple[int, ...]
    projection_shape: Tuple[int, ...]
    nonzeros: int
    nbytes: int
    partitions: int
    subsets: int
    def __init__(
        self,
        angles: Optional[ArrayLike] = ...,
        columns: Optional[int] = ...,
        center: Optional[float] = ...,
        slices: int = ...,
        subsets: int = ...,
        rows: Optional[int] = ...,
        *,
        system_matrix: Any = ...,
        mirrors: Optional[Literal["auto", "folded", "unfolded"]] = ...,
        mask: Optional[Union[str, float, Sequence[Any]]] = ...,
        geometry: Optional[Literal["parallel", "cone", "fan", "vectors", "matrix"]] = ...,
        source_object_distance: Optional[float] = ...,
        source_detector_distance: Optional[float] = ...,
        detector_pixel: Optional[Union[str, float, Sequence[Any]]] = ...,
        center_row: Optional[Union[float, Literal["auto"]]] = ...,
        precision: Optional[Literal["single", "double", "half", "mixed"]] = ...,
        symmetry: Optional[bool] = ...,
        projector: Optional[Literal["auto", "rays", "rotate", "lines", "strips", "pixels", "gridding", "toeplitz"]] = ...,
        interpolation: Optional[Literal["nearest", "linear", "cubic"]] = ...,
        partitions: Optional[int] = ...,
        minibatch: Optional[int] = ...,
        memory: Optional[Union[str, float, Sequence[Any]]] = ...,
        operator_cache: Optional[Union[str, float, Sequence[Any]]] = ...,
        volume: Optional[Union[str, float, Sequence[Any]]] = ...,
        voxel_size: Optional[float] = ...,
    ) -> None: ...
    def solve(
        self,
        projections: ArrayLike,
        out: Optional[Any] = ...,
        residuals: bool = ...,
        progress: Union[None, bool, Callable[[float, str], object]] = ...,
        start: Optional[ArrayLike] = ...,
        multiplicative: Optional[ArrayLike] = ...,
        additive: Optional[ArrayLike] = ...,
        sensitivity: Optional[ArrayLike] = ...,
        *,
        padding_type: Optional[Literal["auto", "zeros", "edges"]] = ...,
        algorithm: Optional[Literal["cg", "sirt", "fbp", "mlem", "osem", "fdk", "fista", "bsrem"]] = ...,
        iterations: Optional[Union[int, Literal["auto"]]] = ...,
        tolerance: Optional[float] = ...,
        likelihood_tolerance: Optional[float] = ...,
        relaxation: Optional[float] = ...,
        nonnegativity: Union[None, bool, Literal["auto", "yes", "no"]] = ...,
        minimum: Optional[Union[float, Literal["auto"]]] = ...,
        maximum: Optional[Union[float, Literal["auto"]]] = ...,
        support_ratio: Optional[float] = ...,
        regularization: Optional[Union[float, Literal["auto"]]] = ...,
        weights: Optional[Literal["auto", "counts", "none"]] = ...,
        fbp_filter: Optional[Literal["ramp", "shepp", "cosine", "hann", "hamming", "parzen", "butterworth"]] = ...,
        post_filter: Optional[float] = ...,
    ) -> Union[NDArray[Any], Tuple[NDArray[Any], NDArray[np.float64]]]: ...
    def project(self, images: ArrayLike, out: Optional[Any] = None) -> NDArray[Any]: ...
    def backproject(self, projections: ArrayLike, out: Optional[Any] = None) -> NDArray[Any]: ...
    def subset(self, number: int) -> _Subset: ...
    def close(self) -> None: ...
    def __enter__(self) -> "Operator": ...
    def __exit__(self, *_: object) -> None: ...

def recon(
    projections: ArrayLike,
    theta: Optional[ArrayLike] = ...,
    flats: Optional[ArrayLike] = ...,
    darks: Optional[ArrayLike] = ...,
    progress: Union[None, bool, Callable[[float, str], object]] = ...,
    *,
    open_beam: Optional[float] = ...,
    exclude: Optional[Union[str, float, Sequence[Any]]] = ...,
    start_angle: Optional[Union[float, Literal["auto"]]] = ...,
    end_angle: Optional[Union[float, Literal["auto"]]] = ...,
    angle_binning: Optional[int] = ...,
    start_row: Optional[int] = ...,
    end_row: Optional[int] = ...,
    start_column: Optional[int] = ...,
    end_column: Optional[int] = ...,
    binning: Optional[int] = ...,
    data: Optional[Literal["auto", "counts", "transmission", "line-integrals", "events"]] = ...,
    flat_correction: Optional[Literal["mean", "median", "none"]] = ...,
    flat_interpolation: Optional[Literal["linear", "none"]] = ...,
    flat_positions: Optional[Union[str, Sequence[Any]]] = ...,
    minus_log: Optional[bool] = ...,
    saturation: Optional[Union[float, Literal["auto"]]] = ...,
    max_repaired: Optional[float] = ...,
    attenuation_map: Optional[Union[str, float, Sequence[Any]]] = ...,
    collimator: Optional[Union[str, float, Sequence[Any]]] = ...,
    mirrors: Optional[Literal["auto", "folded", "unfolded"]] = ...,
    stages: Optional[Union[str, float, Sequence[Any]]] = ...,
    detector_tilt: Optional[Union[float, Literal["auto"]]] = ...,
    align: Optional[Union[str, float, Sequence[Any]]] = ...,
    phase_method: Optional[Literal["none", "paganin", "gpaganin", "bronnikov", "ctf"]] = ...,
    delta_beta: Optional[float] = ...,
    material: Optional[Union[str, float, Sequence[Any]]] = ...,
    density: Optional[float] = ...,
    attenuation: Optional[float] = ...,
    energy: Optional[float] = ...,
    propagation_distance: Optional[float] = ...,
    zinger_removal_method: Optional[Literal["auto", "none", "standard"]] = ...,
    zinger_level: Optional[float] = ...,
    air: Optional[Union[float, Literal["auto"]]] = ...,
    remove_stripe_method: Optional[Literal["auto", "none", "fw", "ti", "sorting", "vo-all", "wiener"]] = ...,
    fw_sigma: Optional[float] = ...,
    fw_level: Optional[int] = ...,
    ti_nblock: Optional[int] = ...,
    ti_alpha: Optional[float] = ...,
    vo_all_snr: Optional[float] = ...,
    vo_all_la_size: Optional[int] = ...,
    vo_all_sm_size: Optional[int] = ...,
    beam_hardening: Optional[Union[str, float, Sequence[Any]]] = ...,
    padding_type: Optional[Literal["auto", "zeros", "edges"]] = ...,
    geometry: Optional[Literal["parallel", "cone", "fan", "vectors", "matrix"]] = ...,
    vectors: Optional[Union[str, float, Sequence[Any]]] = ...,
    source_object_distance: Optional[float] = ...,
    source_detector_distance: Optional[float] = ...,
    detector_pixel: Optional[Union[str, float, Sequence[Any]]] = ...,
    angle_direction: Optional[Literal["auto", "clockwise", "counterclockwise"]] = ...,
    center_row: Optional[Union[float, Literal["auto"]]] = ...,
    rotation_axis: Optional[Union[float, Literal["auto"]]] = ...,
    rotation_axis_auto: Optional[Literal["auto", "vo", "phase", "pairs", "entropy"]] = ...,
    center_search_width: Optional[float] = ...,
    center_search_step: Optional[float] = ...,
    nsino: Optional[int] = ...,
    algorithm: Optional[Literal["cg", "sirt", "fbp", "mlem", "osem", "fdk", "fista", "bsrem"]] = ...,
    iterations: Optional[Union[int, Literal["auto"]]] = ...,
    tolerance: Optional[float] = ...,
    likelihood_tolerance: Optional[float] = ...,
    relaxation: Optional[float] = ...,
    nonnegativity: Union[None, bool, Literal["auto", "yes", "no"]] = ...,
    minimum: Optional[Union[float, Literal["auto"]]] = ...,
    maximum: Optional[Union[float, Literal["auto"]]] = ...,
    support_ratio: Optional[float] = ...,
    regularization: Optional[Union[float, Literal["auto"]]] = ...,
    prior: Optional[Literal["total-variation", "huber", "qggmrf", "relative-difference", "auto"]] = ...,
    prior_dimensions: Optional[int] = ...,
    prior_threshold: Optional[Union[float, Literal["auto"]]] = ...,
    weights: Union[Optional[Literal["auto", "counts", "none"]], ArrayLike] = ...,
    subsets: Optional[Union[int, Literal["auto"]]] = ...,
    margin: Optional[Union[float, Literal["auto"]]] = ...,
    fbp_filter: Optional[Literal["ramp", "shepp", "cosine", "hann", "hamming", "parzen", "butterworth"]] = ...,
    precision: Optional[Literal["single", "double", "half", "mixed"]] = ...,
    symmetry: Optional[bool] = ...,
    projector: Optional[Literal["auto", "rays", "rotate", "lines", "strips", "pixels", "gridding", "toeplitz"]] = ...,
    interpolation: Optional[Literal["nearest", "linear", "cubic"]] = ...,
    partitions: Optional[int] = ...,
    minibatch: Optional[int] = ...,
    memory: Optional[Union[str, float, Sequence[Any]]] = ...,
    scratch_folder: Optional[Union[str, float, Sequence[Any]]] = ...,
    operator_cache: Optional[Union[str, float, Sequence[Any]]] = ...,
    volume: Optional[Union[str, float, Sequence[Any]]] = ...,
    voxel_size: Optional[float] = ...,
    mask_ratio: Optional[float] = ...,
    pixel_size: Optional[float] = ...,
) -> NDArray[np.float32]: ...
def start(
    *,
    workers: Optional[int] = ...,
    device: Optional[Union[str, Sequence[Any]]] = ...,
    scheduler: Optional[Union[str, float, Sequence[Any]]] = ...,
    models: Optional[Literal["auto", "record", "frozen", "renew"]] = ...,
    graph: Optional[Union[str, float, Sequence[Any]]] = ...,
    trace: Optional[Union[str, float, Sequence[Any]]] = ...,
    overwrite: Optional[bool] = ...,
) -> None: ...
def stop() -> None: ...
def version() -> str: ...
