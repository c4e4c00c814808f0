# SPDX-License-Identifier: BSD-3-Clause
"""Operators of parallel beams."""
import ctypes
import operator
import weakref

import numpy as np

from ._library import (
    About,
    BadInput,
    Parallel,
    Solution,
    array_of,
    as_array,
    check,
    ensure_started,
    library,
    settings_of,
    usable,
)
from ._recon import Call
from ._settings import with_settings

_ELEMENT = {"double": np.float64}


def _free(handle):
    """Called by finalizers: an error, as in a forked process, has nobody to tell."""
    library.sinodag_status_free(library.sinodag_operator_free(handle))


class _Linear:
    """What an operator and its transpose have in common; the transpose has `_sides` exchanged."""

    # Above NumPy's arrays, so that array @ A is not tried element by element.
    __array_ufunc__ = None
    __array_priority__ = 100

    def __matmul__(self, values):
        return self.dot(values)

    def dot(self, values):
        """The product, as `@`."""
        return self._multiply(values, None)

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

    def _multiply(self, values, out, compute=None):
        values = as_array(values)
        real = values.dtype.kind in "biuf"
        kind = np.result_type(values.dtype, np.float32) if real else values.dtype
        if not real or kind.itemsize > 8:
            raise BadInput(f"an array of {values.dtype}; allowed: real numbers of up to 64 bits")
        values = usable(values, kind)
        taken, order, shape = self._fit(values, self._sides[0], self._sides[1])
        given = self._result(shape, kind) if out is None else self._given(out, shape, kind)
        result = given
        if len(shape) != 3:
            given = _three(given, self._sides[1], order)
        (compute or self._compute)(array_of(taken), array_of(given))
        return result

    def _fit(self, values, sides, other):
        """values with the dimensions (slice, ·, ·), whether slices are last, and the shape of the result."""
        shape, length = values.shape, sides[0] * sides[1]
        if values.ndim == 3 and shape[1:] == sides:
            return values, "first", (shape[0], *other)
        if shape == sides:
            return values[np.newaxis], "none", other
        if shape == (length,):
            return usable(values.reshape(1, *sides), values.dtype), "flat", (other[0] * other[1],)
        if values.ndim == 2 and shape[0] == length:
            cells = values.reshape(*sides, shape[1])
            return np.moveaxis(cells, 2, 0), "last", (other[0] * other[1], shape[1])
        raise BadInput(
            f"an array of shape {shape}; allowed: {sides}, (S, {sides[0]}, {sides[1]}), ({length},) or ({length}, S)"
            " with S slices"
        )

    @staticmethod
    def _result(shape, kind):
        return np.empty(shape, kind)

    @staticmethod
    def _given(out, shape, kind):
        fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == kind
        if not fits or not out.flags.writeable or not out.flags.aligned or not out.flags.c_contiguous:
            what = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
            raise BadInput(f"out is {what}; allowed: a writeable array of {kind} in C order of shape {shape}")
        return out


def _columns(settings):
    """Residuals of a slice."""
    if settings.get("algorithm") == "fbp":
        return 1
    try:
        count = operator.index(settings.get("iterations"))
    except TypeError:
        count = -1
    if not 0 <= count < 2**31:
        raise BadInput(f"residuals=True with iterations={settings.get('iterations')!r}; allowed: with their number")
    return count + 1


def _three(result, sides, order):
    """A view of the result with the dimensions (slice, ·, ·)."""
    if order == "last":
        return np.moveaxis(result.reshape(*sides, result.shape[1]), 2, 0)
    return result.reshape(1, *sides)


@with_settings("operator")
class Operator(_Linear):
    """A: the lengths of rays in voxels, of parallel beams through slices of N × N voxels.

    angles     radians, one for each projection; a ray obeys s = x·cosθ + y·sinθ, where x points right along the
               columns of the image and y up, against its rows
    columns    of the detector
    center     the rotation axis as a column; 0 is the middle of column 0. Default: (columns − 1)/2
    slices     as many as products will usually have, by which work is divided among the workers
    subsets    of the angles, for ordered-subset methods: A.subset(s) has the angles s, s + subsets, s + 2·subsets …
    settings   below: those of the program

    A @ x takes an image (N, N), images (S, N, N), a vector (N·N,) or a matrix (N·N, S) whose columns are slices, and
    gives projections: (K, M), (S, K, M), (K·M,) or (K·M, S). A.T @ y is its transpose. Of float32 the result is
    float32, of float64 float64; the arithmetic has the precision of the setting. The shape is that of one slice:
    (K·M, N·N). Values that are NaN or infinite are refused.

    The operator is freed with the object, by close(), or at the end of a with statement.
    """

    def __init__(self, angles, columns, center=None, slices=1, subsets=1, **settings):
        angle_rad = np.ascontiguousarray(angles, dtype=np.float64)
        if angle_rad.ndim != 1 or angle_rad.size == 0:
            raise BadInput(f"angles have the shape {angle_rad.shape}; allowed: one dimension with 1 or more")
        geometry = Parallel(
            angle_rad.size,
            int(columns),
            angle_rad.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
            float("nan") if center is None else float(center),
            int(slices),
            int(subsets),
        )
        handle = ctypes.c_void_p()
        ensure_started()
        check(library.sinodag_operator_new(ctypes.byref(geometry), settings_of(settings), ctypes.byref(handle)))
        self._handle = handle
        self._close = weakref.finalize(self, _free, handle)
        about = About()
        check(library.sinodag_operator_about(handle, ctypes.byref(about)))
        self.angles, self.columns, self.side = about.angles, about.columns, about.side
        self.nonzeros, self.nbytes, self.partitions = about.nonzeros, about.bytes, about.partitions
        self.subsets = about.subsets
        self.shape = (self.angles * self.columns, self.side**2)
        self.dtype = np.dtype(_ELEMENT.get(str(settings.get("precision")), np.float32))
        self._sides = ((self.side, self.side), (self.angles, self.columns))

    def project(self, images, out=None):
        """A @ images, into `out` if it is given: an array of the result's shape and type in C order."""
        return self._multiply(images, out)

    def backproject(self, projections, out=None):
        """A.T @ projections, likewise."""
        return self.T._multiply(projections, out)

    @with_settings("solve")
    def solve(self, projections, out=None, residuals=False, progress=None, **settings):
        """Solves A x = projections by a solver of the program, without tracing lengths again; gives x, or (x, r) with `residuals`.

        projections  line integrals, in any shape that A.T @ projections takes; x has the shape and type of that product
        out          an array for x, of its shape and type in C order
        residuals    also give r: float64 (S, iterations + 1), the squares of |A x - projections| of each slice before the first and
                     after each iteration, NaN once it has stopped. Wants `iterations`, unless the algorithm is fbp
        progress     as of sinodag.recon, after each iteration
        settings     below. osem and fista take the operator's subsets; cg, sirt and mlem need an operator without

        Raises BadInput and Failed as sinodag.recon. The values are those that sinodag.recon computes of the same projections with
        the same settings.
        """
        call, solution, rows = Call(progress), Solution(), []

        def compute(given, volume):
            solution.volume, solution.progress = volume, call.output.progress
            if residuals:
                rows.append(np.full((given.size[0], _columns(settings)), np.nan))
                solution.residual = rows[0].ctypes.data_as(ctypes.POINTER(ctypes.c_double))
                solution.columns = rows[0].shape[1]
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
        return (
            f"<sinodag.Operator: {self.angles} angles x {self.columns} columns, {self.side} x {self.side} voxels,"
            f" {self.nonzeros} nonzeros>"
        )

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
        self.angles, self.columns, self.side = len(range(self.number, of.angles, of.subsets)), of.columns, of.side
        self.shape = (self.angles * self.columns, self.side**2)
        self.dtype = of.dtype
        self._sides = ((self.side, self.side), (self.angles, self.columns))

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
        self._sides = of._sides[::-1]

    @property
    def T(self):  # pylint: disable=invalid-name
        """The operator itself."""
        return self._of

    def __repr__(self):
        return f"<transpose of {self._of!r}>"

    def _compute(self, projections, images):
        self._of._compute_back(projections, images)
