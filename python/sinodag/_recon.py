# SPDX-License-Identifier: BSD-3-Clause
"""Reconstructions of arrays."""
import ctypes
import threading

import numpy as np

from ._devices import OnDevice, as_array
from ._errors import BadInput, Failed
from ._library import (
    ALLOCATE,
    PROGRESS,
    Array,
    Output,
    Scan,
    array_of,
    check,
    ensure_started,
    free_rest,
    library,
    radians_of,
    settings_of,
    usable,
)
from ._progress import indicator
from ._settings import with_settings

_KEPT = (np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.float32), np.dtype(np.float64))


def _images(what, values):
    """Images as an array that the library reads: of its own types, else as float32, as from files."""
    values = as_array(values)
    if values.dtype.kind not in "biuf":
        raise BadInput(f"the {what} are of {values.dtype}; allowed: real numbers")
    if values.ndim == 2 and what != "projections":
        values = values[np.newaxis]
    if values.ndim != 3:
        raise BadInput(f"the {what} have the shape {values.shape}; allowed: (image, row, column)")
    kind = values.dtype.newbyteorder("=")
    return usable(values, kind if kind in _KEPT else np.float32)


def _weights(values, projections):
    """An array of weights as (angle, row, column), of which sizes may be 1; None: the setting says it all."""
    if values is None or isinstance(values, str):
        return None
    values = as_array(values)
    angles, rows, columns = projections.shape
    shapes = {3: values.shape, 2: (angles, 1, columns), 1: (1, 1, columns)}
    shape = shapes.get(values.ndim)
    if shape is None or values.size != np.prod(shape) or (values.ndim == 3 and shape != projections.shape):
        raise BadInput(f"the weights have the shape {values.shape}; allowed: {projections.shape}, as the projections, "
                       f"({angles}, {columns}) or ({columns},)")
    return _images("weights", values.reshape(shape))


def _angles(theta, count):
    if theta is None:
        return None
    theta = radians_of("theta", theta)
    if theta.shape != (count,):
        raise BadInput(f"theta has the shape {theta.shape}; allowed: ({count},), an angle for each projection")
    return theta


class Call:
    """The functions that a reconstruction or a solution calls, and what they leave. `progress` as of recon."""

    def __init__(self, progress):
        self.volume = self.error = None
        self.cancelled = False
        self._progress = None if progress is True else progress or None
        self._indicator = indicator() if progress is True else None
        self._news = None  # (share, text) that the indicator has not shown
        self.output = Output(ALLOCATE(self._allocate), PROGRESS(self._show), None)

    def _allocate(self, _, slices, rows, columns):
        try:
            self.volume = np.empty((slices, rows, columns), np.float32)
            return self.volume.ctypes.data
        except MemoryError:
            return None

    def _show(self, _, done, text):
        try:
            self._news = (done, text.decode(errors="replace"))
            if self._progress and not self.cancelled and self._progress(*self._news):
                self.cancelled = True
        except BaseException as error:  # pylint: disable=broad-except
            self.error = error  # for the caller: nobody here could catch it
            self.cancelled = True
        return self.cancelled

    def run(self, compute, arrays=()):
        """Calls compute(), which calls the library, and raises what its status says. In a thread of its own where Ctrl-C comes to this one, since Python sees it between steps of its own only, and where
        this one shows progress: a notebook wants that from the thread of the cell. `arrays` live as long as the call."""
        statuses, done = [], threading.Event()

        def work():
            try:
                statuses.append(compute())
            finally:
                if arrays:
                    del arrays[:]
                done.set()

        if self._indicator or threading.current_thread() is threading.main_thread():
            threading.Thread(target=work).start()
            self._wait(done)
        else:
            work()
        free_rest()  # what a function of the caller let go
        if self.error:
            library.sinodag_status_free(statuses[0])
            raise self.error
        check(statuses[0])

    def _wait(self, done):
        while not done.is_set():
            try:
                done.wait(0.1)
                self._indicate()
            except KeyboardInterrupt as error:
                self.cancelled, self.error = True, error
        self._indicate()
        if self._indicator:
            self._indicator.end()

    def _indicate(self):
        news, self._news = self._news, None
        if self._indicator and news:
            self._indicator.show(*news)


@with_settings("recon")
def recon(projections, theta=None, flats=None, darks=None, progress=None, **settings):
    """Reconstructs the volume of a scan, as `sinodag recon` does, to the same bits: float32 (slice, row, column).

    projections  (angle, row, column): counts, or what data="transmission" or data="line-integrals" says. uint8, uint16 and
                 float32 are used as they are; other types become float32. Any strides
    theta        radians, one for each projection. Default: from 0 to π, both included
    flats, darks fields without object and without light, (field, row, column) or one (row, column)
    progress     True shows a bar in a notebook and a line in a terminal; a function of the share that is done and of a line
                 of text is called, and a true result of it ends the reconstruction
    weights      among the settings: one of its words, or an array of weights of the projections' rays, (angle, row, column),
                 (angle, column) or (column,), of finite numbers, such as one over the variance of each line integral,
                 where 0 leaves a ray out
    settings     below: those of `sinodag recon --help all` with _ for -, as algorithm="cg", iterations=30,
                 rotation_axis=511.5, but for names of files, outputs in files, and the settings of start(). Lists are lists
                 or text with commas

    Raises BadInput, a ValueError, whose text names the argument, the value received and the values allowed; Failed, a
    RuntimeError, if memory is short or `progress` ended the call. Ctrl-C and an exception in `progress` end the
    reconstruction at its next step, and are raised then.
    """
    projections = _images("projections", projections)
    angles = _angles(theta, projections.shape[0])
    fields = [np.empty((0, 0, 0), np.float32) if of is None else _images(what, of)
              for what, of in (("flats", flats), ("darks", darks))]
    given = _weights(settings.get("weights"), projections)
    if given is not None:
        del settings["weights"]
    scan = Scan(
        array_of(projections),
        *(array_of(of) if of.size else Array() for of in fields),
        angles.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) if angles is not None else None,
        array_of(given) if given is not None else Array(),
    )
    for what, of, given in (("flats", fields[0], flats), ("darks", fields[1], darks)):
        if given is not None and of.size == 0:
            raise BadInput(f"the {what} have the shape {of.shape}; allowed: 1 or more images, or None")
    ensure_started()
    call, texts = Call(progress), settings_of(settings)
    call.run(lambda: library.sinodag_recon(ctypes.byref(scan), texts, ctypes.byref(call.output)),
             [projections, angles, given, *fields])
    if call.volume is None:
        raise Failed("the reconstruction made no volume")
    return call.volume
