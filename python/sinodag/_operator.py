# SPDX-License-Identifier: BSD-3-Clause
"""Operators of beams and of system matrices."""
import ctypes
import math
import operator
import os
import weakref

import numpy as np

from ._devices import OnDevice, as_array, like, module_of, shaped
from ._errors import BadInput
from ._library import (
    TYPES,
    About,
    Geometry,
    Matrix,
    Solution,
    array_of,
    check,
    ensure_started,
    free,
    library,
    radians_of,
    settings_of,
    usable,
)
from ._recon import Call
from ._settings import with_settings

_ELEMENT = {"double": np.float64}


def _whole(name, value):
    """A number of the geometry, which ctypes would cut to 64 bits."""
    try:
        number = int(value) if isinstance(value, (float, np.floating)) and value == int(value) else operator.index(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or not -(2**63) <= number < 2**63:
        raise BadInput(f"{name} is {value!r}; allowed: a whole number")
    return number


class _Linear:
    """What an operator, its subsets and its transpose have in common: `_sides` are the shapes of what it takes and gives, and
    `_cells` those of a slice in the library's arrays; both are exchanged in the transpose."""

    # Above NumPy's arrays, so that array @ A is not tried element by element.
    __array_ufunc__ = None
    __array_priority__ = 100

    def __matmul__(self, values):
        return self.dot(values)

    def dot(self, values):
        """The product, as `@`."""
        return self._multiply(values, None)

    def _of_stack(self, values):
        """The product of slices (S, *sides), also where `@` would take an array of S rows for columns; for adapters."""
        if len(self._sides[0]) > 1:
            return self.dot(values)
        turned = self.dot(values.T).T
        turned = turned.contiguous() if module_of(turned) == "torch" else np.ascontiguousarray(turned)
        return turned.reshape(len(values), *self._sides[1])

    def matvec(self, values):
        """The product of a vector; SciPy calls it."""
        return self._multiply(np.asarray(values).reshape(self.shape[1]), None)

    def matmat(self, values):
        """The product of a matrix whose columns are slices; SciPy calls it."""
        return self._multiply(values, None)

    def rmatvec(self, values):
        """The product of the transpose and a vector."""
        return self.T.matvec(values)

    def rmatmat(self, values):
        """The product of the transpose and a matrix."""
        return self.T.matmat(values)

    @property
    def H(self):  # pylint: disable=invalid-name
        """The adjoint, which of real numbers is the transpose."""
        return self.T

    def aslinearoperator(self):
        """A scipy.sparse.linalg.LinearOperator for one slice, or for the columns of a matrix."""
        from scipy.sparse.linalg import LinearOperator  # pylint: disable=import-outside-toplevel

        return LinearOperator(
            self.shape,
            matvec=self.matvec,
            rmatvec=self.rmatvec,
            matmat=self.matmat,
            rmatmat=self.rmatmat,
            dtype=self.dtype,
        )

    def _beside(self, values, out):
        """What goes with a solution in `out`, as slices of the library's arrays; a copy if they overlap."""
        values = _numbers(values)
        if isinstance(values, np.ndarray) and isinstance(out, np.ndarray) and np.may_share_memory(values, out):
            values = values.copy()
        return usable(_slices(values, self._fit(values.shape)[0], self._cells[0]), values.dtype)

    def _lay_out(self, image, projections):
        self.shape = (math.prod(projections), math.prod(image))
        self._sides = (image, projections)
        matrix = len(projections) == 1
        self._cells = ((self.shape[1], 1), (self.shape[0], 1)) if matrix else self._sides

    def _multiply(self, values, out, compute=None):
        given, values = values, _numbers(values)
        order, shape = self._fit(values.shape)
        make = like if isinstance(values, OnDevice) else _new
        result = make(given, shape, values.dtype) if out is None else out
        into = self._given(result, shape, values.dtype)
        taken = usable(_slices(values, order, self._cells[0]), values.dtype)
        if len(taken) == 0:
            raise BadInput(f"an array of shape {values.shape}; allowed: one slice or volume, or more")
        if not isinstance(taken, OnDevice) and not isinstance(into, OnDevice) and np.may_share_memory(taken, into):
            taken = taken.copy()
        (compute or self._compute)(array_of(taken), array_of(_slices(into, order, self._cells[1])))
        return result

    def _fit(self, shape):
        """Where the slices of an array of this shape are, and the shape of the result."""
        sides, other = self._sides
        length, others = math.prod(sides), math.prod(other)
        if shape == sides:
            return "none", other
        if shape == (length,):
            return "none", (others,)
        if len(shape) == 2 and shape[0] == length:
            return "last", (others, shape[1])
        if shape[1:] == sides:
            return "first", (shape[0], *other)
        several = f"(S, {', '.join(map(str, sides))})"
        flat = "" if len(sides) == 1 else f" ({length},)"
        raise BadInput(f"an array of shape {shape}; allowed: {sides}, {several},{flat} or ({length}, S) with S slices")

    @staticmethod
    def _given(out, shape, kind):
        """An array for the result, as a NumPy array or an OnDevice over its memory."""
        shared = isinstance(out, np.ndarray) or hasattr(out, "__dlpack__") or hasattr(out, "__cuda_array_interface__")
        into = as_array(out) if shared and module_of(out) not in _IMMUTABLE else None
        fits = into is not None and into.shape == shape and into.dtype == kind
        if not fits or not into.flags.writeable or not into.flags.aligned or not into.flags.c_contiguous:
            what = type(out).__name__ if into is None else f"{into.dtype} of shape {into.shape}"
            raise BadInput(f"out is {what}; allowed: a writeable array of {kind} in C order of shape {shape}")
        return into


# Packages whose arrays nobody may write.
_IMMUTABLE = ("jax", "jaxlib")


def _new(_, shape, dtype):
    return np.empty(shape, dtype)


def _numbers(values):
    """An array of float32 or float64, whose strides the library takes."""
    values = as_array(values)
    real = values.dtype.kind in "biuf"
    kind = np.result_type(values.dtype, np.float32) if real else values.dtype
    if not real or kind.itemsize > 8:
        raise BadInput(f"an array of {values.dtype}; allowed: real numbers of up to 64 bits")
    return usable(values, kind)


def _slices(values, order, cells):
    """The array with the dimensions (slice, *cells): a view, if its elements lie as in C order."""
    if order == "last":
        return np.moveaxis(shaped(values, (*cells, values.shape[1])), -1, 0)
    return shaped(values, (values.shape[0] if order == "first" else 1, *cells))


def _columns(settings):
    """Residuals of a slice."""
    if settings.get("algorithm") in ("fbp", "fdk"):
        return 1
    try:
        count = operator.index(settings.get("iterations"))
    except TypeError:
        count = -1
    if not 0 <= count < 2**31:
        raise BadInput(f"residuals=True with iterations={settings.get('iterations')!r}; allowed: with their number")
    return count + 1


def _matrix_of(matrix):
    """A sparse matrix of SciPy, or of anything with tocsr(), as a Matrix, and the arrays that it borrows."""
    if not hasattr(matrix, "tocsr"):
        raise BadInput(f"system_matrix is of {type(matrix).__name__}; allowed: the name of a file, or a sparse matrix of SciPy")
    rows = matrix.tocsr()
    shape = getattr(rows, "shape", None)
    kinds = [getattr(getattr(rows, name, None), "dtype", None) for name in ("indptr", "indices", "data")]
    whole = all(isinstance(dtype, np.dtype) for dtype in kinds) and all(dtype.kind in "iu" for dtype in kinds[:2])
    if not whole or not isinstance(shape, tuple) or len(shape) != 2:
        raise BadInput(f"tocsr() of system_matrix returns {type(rows).__name__}; allowed: a sparse matrix of rows (CSR) with"
                       " a shape of two numbers, integers as indptr and indices, and data")
    if rows.data.dtype.kind not in "biuf" or rows.data.dtype.itemsize > 8:
        raise BadInput(f"the values of system_matrix are of {rows.data.dtype}; allowed: real numbers of up to 64 bits")
    wide = any(array.dtype != np.int32 for array in (rows.indptr, rows.indices))
    start, column = (np.ascontiguousarray(array, np.int64 if wide else np.int32) for array in (rows.indptr, rows.indices))
    value = np.ascontiguousarray(rows.data, np.float32 if rows.data.dtype == np.float32 else np.float64)
    if start.shape != (rows.shape[0] + 1,) or not start[-1] <= min(column.size, value.size):
        raise BadInput(f"system_matrix has {start.size} elements of indptr, up to {start[-1]}, {column.size} of indices and"
                       f" {value.size} of data; allowed: those of {rows.shape[0]} rows")
    told = Matrix(*rows.shape, TYPES[start.dtype], TYPES[value.dtype], start.ctypes.data, column.ctypes.data, value.ctypes.data)
    return told, (start, column, value)


@with_settings("operator")
class Operator(_Linear):
    """A, and its transpose A.T: what projections of an image are, of one of three kinds.

        Operator(angles, columns)                                        parallel beams through slices of N x N voxels
        Operator(angles, columns, rows=rows, geometry="cone", ...)       cone beams through a volume
        Operator(system_matrix=matrix)                                   a file, or a sparse matrix of SciPy

    angles     radians, one for each projection; a ray obeys s = x·cosθ + y·sinθ, where x points right along the
               columns of the image and y up, against its rows
    columns    of the detector
    center     the rotation axis as a column; 0 is the middle of column 0. Default: (columns − 1)/2
    slices     as many as products will usually have, by which work is divided among the workers
    subsets    of the angles, or of the rows of a matrix, for ordered-subset methods: A.subset(s) has those of the numbers s,
               s + subsets, s + 2·subsets …
    rows       of the detector of cone beams, whose source_object_distance, source_detector_distance and detector_pixel in mm
               must be given, too
    settings   below: those of the program. system_matrix is the name of a file, or a sparse matrix, whose arrays are read
               where they are if it is of rows (CSR), and not needed afterwards

    A @ x takes an image of A.image_shape, several (S, *A.image_shape), a vector (A.shape[1],) or a matrix (A.shape[1], S)
    whose columns are slices, and gives projections likewise: A.projection_shape, and so on. A.T @ y is its transpose. Of
    float32 the result is float32, of float64 float64; the arithmetic has the precision of the setting. A.shape is that of
    one slice. Values that are NaN or infinite are refused. An image is (N, N), or (Z, Y, X) of cone beams and of a matrix
    whose grid of voxels is known, else (V,); its projections are (K, M), (K, R, M), or (R,): the rows of a matrix.

    The operator is freed with the object, by close(), or at the end of a with statement.
    """

    def __init__(self, angles=None, columns=None, center=None, slices=1, subsets=1, rows=None, **settings):
        matrix, borrowed = settings.get("system_matrix"), None
        geometry = Geometry(center=float("nan") if center is None else float(center), slices=_whole("slices", slices),
                            subsets=_whole("subsets", subsets), columns=_whole("columns", 0 if columns is None else columns),
                            rows=_whole("rows", 0 if rows is None else rows))
        if matrix is not None and not isinstance(matrix, (str, os.PathLike)):
            told, borrowed = _matrix_of(settings.pop("system_matrix"))
            geometry.matrix = ctypes.pointer(told)
        if angles is not None:
            angle_rad = radians_of("angles", angles)
            if angle_rad.ndim != 1 or angle_rad.size == 0:
                raise BadInput(f"angles have the shape {angle_rad.shape}; allowed: one dimension with 1 or more")
            geometry.angles, geometry.angle_rad = angle_rad.size, angle_rad.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        handle = ctypes.c_void_p()
        ensure_started()
        check(library.sinodag_operator_new(ctypes.byref(geometry), settings_of(settings), ctypes.byref(handle)))
        del borrowed
        self._handle = handle
        self._close = weakref.finalize(self, free, handle)
        about = About()
        check(library.sinodag_operator_about(handle, ctypes.byref(about)))
        self._tell(about, angles is None)
        self.dtype = np.dtype(_ELEMENT.get(str(settings.get("precision")), np.float32))

    def _tell(self, about, is_matrix):
        images, projections, voxels = tuple(about.images), tuple(about.projections), tuple(about.voxels)
        self.nonzeros, self.nbytes, self.partitions = about.nonzeros, about.bytes, about.partitions
        self.subsets = about.subsets
        self.angles = self.columns = self.side = None
        if is_matrix:
            self.image_shape, self.projection_shape = voxels if voxels[:2] != (1, 1) else voxels[2:], projections[1:2]
        elif images[0]:
            self.image_shape, self.projection_shape = images, projections
            self.angles, self.columns = projections[0], projections[2]
        else:
            self.image_shape, self.projection_shape = images[1:], projections[1:]
            self.angles, self.columns, self.side = projections[1], projections[2], images[1]
        self._lay_out(self.image_shape, self.projection_shape)

    def project(self, images, out=None):
        """A @ images, into `out` if it is given: an array of the result's shape and type in C order."""
        return self._multiply(images, out)

    def backproject(self, projections, out=None):
        """A.T @ projections, likewise."""
        return self.T._multiply(projections, out)

    @with_settings("solve")
    def solve(
        self,
        projections,
        out=None,
        residuals=False,
        progress=None,
        start=None,
        multiplicative=None,
        additive=None,
        sensitivity=None,
        **settings,
    ):
        """Solves A x = projections by a solver of the program, without making A again; gives x, or (x, r) with `residuals`.

        projections  line integrals, or counts of a matrix with mlem and osem, in any shape that A.T @ projections takes; x has
                     the shape and type of that product
        out          an array for x, of its shape and type in C order
        residuals    also give r: float64 (S, iterations + 1): of each slice the square of |projections|, then of
                     |A x - projections| after each iteration, NaN once it has stopped. Wants `iterations`, unless the algorithm is
                     fbp; fdk has none
        progress     as of sinodag.recon, after each iteration
        start        images that the first iteration begins from, or one for all: of parallel beams, and of a matrix with mlem and
                     osem, where calls that begin from the images of the call before give the images after every so many
                     iterations, which `save_every` of recon saves
        multiplicative, additive  of a matrix: factors of its rows, and expected randoms and scatter, of each set or one for all:
                     the expected values are multiplicative * (A @ x) + additive
        sensitivity  of a matrix, with mlem and osem: an image in place of A.T @ multiplicative
        settings     below. osem and fista take the operator's subsets; fbp, and fdk of cone beams, take any; cg, sirt and mlem
                     need an operator without

        Raises BadInput and Failed as sinodag.recon. The values are those that the program computes of the same projections with
        the same settings; of cone beams per voxel, where volumes have 1/cm.
        """
        call, kept, rows = Call(progress), [], []
        of_images = {"start": start, "sensitivity": sensitivity}
        of_rows = {"multiplicative": multiplicative, "additive": additive}
        beside = {name: self._beside(values, out) for name, values in of_images.items() if values is not None}
        beside.update((name, self.T._beside(values, out)) for name, values in of_rows.items() if values is not None)

        def compute(given, volume):
            solution = Solution(volume=volume, progress=call.output.progress)
            for name, values in beside.items():
                kept.append(array_of(values))
                setattr(solution, name, ctypes.pointer(kept[-1]))
            if residuals:
                count = given.size[0] if len(self._cells[0]) == 2 else given.volumes
                rows.append(np.empty((count, _columns(settings))))  # of pages that nobody takes if the library refuses
                solution.residual = rows[-1].ctypes.data_as(ctypes.POINTER(ctypes.c_double))
                solution.columns = rows[-1].shape[1]
            handle, texts = self._use(), settings_of(settings)
            call.run(lambda: library.sinodag_solve(handle, ctypes.byref(given), texts, ctypes.byref(solution)))

        result = self.T._multiply(projections, out, compute)
        return (result, rows[0]) if residuals else result

    @property
    def T(self):  # pylint: disable=invalid-name
        """The transpose."""
        return _Transpose(self)

    def subset(self, number):
        """The operator of subset `number`, 0 to subsets − 1, for the projections y[..., number::subsets, :]."""
        return _Subset(self, number)

    def close(self):
        """Frees the operator; later products are refused. Does nothing the second time."""
        self._close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        projections, image = (" x ".join(map(str, sizes)) for sizes in (self.projection_shape, self.image_shape))
        stored = f"{self.nonzeros} nonzeros in {self.nbytes / 2**20:.3g} MiB" if self.nonzeros else "not stored"
        of_subsets = f", {self.subsets} subsets" if self.subsets > 1 else ""
        return f"<sinodag.Operator: {projections} projections of {image} voxels{of_subsets}, {stored}>"

    def _compute(self, images, projections):
        check(library.sinodag_project(self._use(), ctypes.byref(images), ctypes.byref(projections)))

    def _compute_back(self, projections, images):
        check(library.sinodag_backproject(self._use(), ctypes.byref(projections), ctypes.byref(images)))

    def _use(self):
        if not self._close.alive:
            raise BadInput("the operator is closed; allowed: an operator that is not")
        return self._handle


class _Subset(_Linear):
    """A subset of an operator's angles; keeps the operator."""

    def __init__(self, of, number):
        self._of, self.number = of, operator.index(number)
        if not 0 <= self.number < of.subsets:
            raise BadInput(f"subset is {number}; allowed: 0 to {of.subsets - 1}")
        count = len(range(self.number, of.projection_shape[0], of.subsets))
        self.angles, self.columns, self.side = None if of.angles is None else count, of.columns, of.side
        self.image_shape, self.projection_shape = of.image_shape, (count, *of.projection_shape[1:])
        self.dtype = of.dtype
        self._lay_out(self.image_shape, self.projection_shape)

    def project(self, images, out=None):
        """The product with images, into `out` if it is given: an array of the result's shape and type in C order."""
        return self._multiply(images, out)

    def backproject(self, projections, out=None):
        """The product of the transpose with projections, likewise."""
        return self.T._multiply(projections, out)

    @property
    def T(self):  # pylint: disable=invalid-name
        """The transpose."""
        return _Transpose(self)

    def __repr__(self):
        return f"<subset {self.number} of {self._of!r}>"

    def _compute(self, images, projections):
        check(library.sinodag_project_subset(self._of._use(), self.number, ctypes.byref(images), ctypes.byref(projections)))

    def _compute_back(self, projections, images):
        handle = self._of._use()
        check(library.sinodag_backproject_subset(handle, self.number, ctypes.byref(projections), ctypes.byref(images)))


class _Transpose(_Linear):
    """The transpose of an operator or a subset, which it keeps."""

    def __init__(self, of):
        self._of = of
        self.shape = of.shape[::-1]
        self.dtype = of.dtype
        self._sides, self._cells = of._sides[::-1], of._cells[::-1]

    @property
    def T(self):  # pylint: disable=invalid-name
        """The operator itself."""
        return self._of

    def __repr__(self):
        return f"<transpose of {self._of!r}>"

    def _compute(self, projections, images):
        self._of._compute_back(projections, images)
