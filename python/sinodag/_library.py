# SPDX-License-Identifier: BSD-3-Clause
"""The functions of sinodag.h by ctypes, which releases the GIL during a call; statuses as exceptions."""
import atexit
import ctypes
import logging
import os
import pathlib
import threading

import numpy as np

from ._devices import OnDevice
from ._errors import BadInput, Failed

log = logging.getLogger("sinodag")


class Array(ctypes.Structure):
    """SinodagArray"""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int),
        ("device", ctypes.c_int),
        ("size", ctypes.c_int64 * 3),
        ("stride", ctypes.c_int64 * 3),
        ("volumes", ctypes.c_int64),
        ("volume_stride", ctypes.c_int64),
    ]


class Matrix(ctypes.Structure):
    """SinodagMatrix"""

    _fields_ = [
        ("rows", ctypes.c_int64),
        ("columns", ctypes.c_int64),
        ("index_type", ctypes.c_int),
        ("value_type", ctypes.c_int),
        ("start", ctypes.c_void_p),
        ("column", ctypes.c_void_p),
        ("value", ctypes.c_void_p),
    ]


class Geometry(ctypes.Structure):
    """SinodagGeometry"""

    _fields_ = [
        ("angles", ctypes.c_int64),
        ("columns", ctypes.c_int64),
        ("angle_rad", ctypes.POINTER(ctypes.c_double)),
        ("center", ctypes.c_double),
        ("slices", ctypes.c_int64),
        ("subsets", ctypes.c_int64),
        ("rows", ctypes.c_int64),
        ("matrix", ctypes.POINTER(Matrix)),
    ]


class About(ctypes.Structure):
    """SinodagAbout"""

    _fields_ = [(name, ctypes.c_int64 * 3) for name in ("images", "projections", "voxels")] + [
        (name, ctypes.c_int64) for name in ("nonzeros", "bytes", "partitions", "subsets")
    ]


class Scan(ctypes.Structure):
    """SinodagScan"""

    _fields_ = [
        ("projections", Array),
        ("flats", Array),
        ("darks", Array),
        ("angle_rad", ctypes.POINTER(ctypes.c_double)),
        ("weights", Array),
    ]


ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_char_p)


class Output(ctypes.Structure):
    """SinodagOutput"""

    _fields_ = [("allocate", ALLOCATE), ("progress", PROGRESS), ("of", ctypes.c_void_p)]


class SettingText(ctypes.Structure):
    """SinodagSetting"""

    _fields_ = [(name, ctypes.c_char_p)
                for name in ("name", "group", "type", "usual", "allowed", "words", "unit", "needs", "help")]


class Solution(ctypes.Structure):
    """SinodagSolution"""

    _fields_ = [
        ("volume", Array),
        ("residual", ctypes.POINTER(ctypes.c_double)),
        ("columns", ctypes.c_int64),
        ("progress", PROGRESS),
        ("of", ctypes.c_void_p),
        *((name, ctypes.POINTER(Array)) for name in ("start", "multiplicative", "additive", "sensitivity")),
    ]


VISIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(SettingText))
LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)
SETTINGS = ctypes.POINTER(ctypes.c_char_p)
STATUS = ctypes.c_void_p

FUNCTIONS = {
    "sinodag_version": (ctypes.c_char_p, []),
    "sinodag_status_code": (ctypes.c_int, [STATUS]),
    "sinodag_status_text": (ctypes.c_char_p, [STATUS]),
    "sinodag_status_free": (None, [STATUS]),
    "sinodag_settings": (STATUS, [ctypes.c_char_p, VISIT, ctypes.c_void_p]),
    "sinodag_start": (STATUS, [SETTINGS, LOG, ctypes.c_void_p]),
    "sinodag_stop": (STATUS, []),
    "sinodag_operator_new": (STATUS, [ctypes.POINTER(Geometry), SETTINGS, ctypes.POINTER(ctypes.c_void_p)]),
    "sinodag_operator_free": (STATUS, [ctypes.c_void_p]),
    "sinodag_operator_about": (STATUS, [ctypes.c_void_p, ctypes.POINTER(About)]),
    "sinodag_project": (STATUS, [ctypes.c_void_p, ctypes.POINTER(Array), ctypes.POINTER(Array)]),
    "sinodag_backproject": (STATUS, [ctypes.c_void_p, ctypes.POINTER(Array), ctypes.POINTER(Array)]),
    "sinodag_project_subset": (STATUS, [ctypes.c_void_p, ctypes.c_int64, ctypes.POINTER(Array), ctypes.POINTER(Array)]),
    "sinodag_backproject_subset": (STATUS, [ctypes.c_void_p, ctypes.c_int64, ctypes.POINTER(Array), ctypes.POINTER(Array)]),
    "sinodag_solve": (STATUS, [ctypes.c_void_p, ctypes.POINTER(Array), SETTINGS, ctypes.POINTER(Solution)]),
    "sinodag_recon": (STATUS, [ctypes.POINTER(Scan), SETTINGS, ctypes.POINTER(Output)]),
}


def _load():
    """SINODAG_LIBRARY, else the library that was installed with this package, else the system's."""
    beside = pathlib.Path(__file__).parent / "libsinodag.so"
    name = os.environ.get("SINODAG_LIBRARY") or (str(beside) if beside.exists() else "libsinodag.so.1")
    try:
        loaded = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(f"sinodag: {error}; SINODAG_LIBRARY can name the library libsinodag.so") from error
    for function, (result, arguments) in FUNCTIONS.items():
        getattr(loaded, function).restype = result
        getattr(loaded, function).argtypes = arguments
    return loaded


library = _load()


def check(status):
    """Raises the exception of a status, if it is an error."""
    if not status:
        return
    text = library.sinodag_status_text(status).decode(errors="replace")
    kind = BadInput if library.sinodag_status_code(status) == 2 else Failed
    library.sinodag_status_free(status)
    raise kind(text)


_unfreed = []  # operators that could not be freed yet


def free(handle):
    """Frees an operator; for finalizers, which may come while the library calls a function of the caller, or in a forked
    process. The library then refuses, and the operator waits for the next call."""
    _unfreed.append(handle)
    free_rest()


def free_rest():
    """Frees the operators that wait for it."""
    for _ in range(len(_unfreed)):
        try:
            handle = _unfreed.pop(0)
        except IndexError:
            return  # another thread has taken it
        status = library.sinodag_operator_free(handle)
        if status:
            library.sinodag_status_free(status)
            _unfreed.append(handle)


def _word(value):
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ",".join(_word(part) for part in value)
    return os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else str(value)


def settings_of(settings):
    """Keywords as an array of "name=value"; names have _ for -. None: as if it were not given."""
    texts = []
    for name, value in settings.items():
        if value is not None:
            word = _word(value)
            if "\0" in word:
                raise BadInput(f"{name} is {word!r}; allowed: a text without zero bytes")
            texts.append(os.fsencode(f"{name.replace('_', '-')}={word}"))
    return (ctypes.c_char_p * (len(texts) + 1))(*texts, None)


# SinodagType
TYPES = {np.dtype(name): i for i, name in enumerate(("float32", "float64", "uint8", "uint16", "int32", "int64"))}


def radians_of(what, values):
    """Angles as an array of float64."""
    values = np.asarray(values)
    if values.dtype.kind not in "biuf":
        raise BadInput(f"{what}: an array of {values.dtype}; allowed: real numbers")
    return np.ascontiguousarray(values, dtype=np.float64)


def array_of(values, order=(0, 1, 2)):
    """A SinodagArray over values with three dimensions, or with four, of which the first is that of volumes; strides are
    multiples of an element."""
    outer = values.ndim - 3
    strides = [values.strides[outer + i] // values.itemsize for i in order]
    return Array(
        values.ctypes.data,
        TYPES[values.dtype],
        isinstance(values, OnDevice),
        (ctypes.c_int64 * 3)(*(values.shape[outer + i] for i in order)),
        (ctypes.c_int64 * 3)(*strides),
        values.shape[0] if outer else 0,
        values.strides[0] // values.itemsize if outer else 0,
    )


def usable(values, dtype):
    """`values` as an aligned array of the type in native byte order, whose strides are whole elements: itself if it is one."""
    if isinstance(values, OnDevice):
        return _usable_there(values, dtype)
    values = np.asarray(values, dtype=dtype)
    whole = all(stride % values.itemsize == 0 for stride in values.strides)
    moves = any(values.strides[-3:])  # strides that are all 0 would mean to the library that it is in C order
    return values if values.flags.aligned and whole and moves else np.array(values, order="C")


def _usable_there(values, dtype):
    """An array on a device, where nothing is converted."""
    kind = np.dtype(dtype)
    if values.dtype != kind:
        raise BadInput(f"an array of {values.dtype} on a CUDA device, where it is not converted; allowed: {kind}")
    whole = all(stride % kind.itemsize == 0 for stride in values.strides)
    if not whole or not any(values.strides[-3:]) or values.ctypes.data % kind.itemsize:
        raise BadInput(f"an array on a CUDA device at {values.ctypes.data:#x} with strides of {values.strides} bytes; allowed: aligned"
                       f" elements of {kind.itemsize} bytes, not all the same one")
    return values


@LOG
def _tell(_, level, event, message):
    try:
        of_level = logging.WARNING if level == b"warning" else logging.INFO
        log.log(of_level, "%s", message.decode(errors="replace"), extra={"sinodag_event": event.decode()})
    except Exception:  # pylint: disable=broad-except
        pass  # nobody could catch it


_lock = threading.Lock()
_started = False
_process = None  # that started


def start(**settings):
    """Starts sinodag with settings of the whole process.

    The first operator starts it with the defaults, so that this is only needed for others. A second start is refused.
    """
    global _started, _process
    with _lock:
        if _started:
            raise BadInput("sinodag has started; allowed: start before the first operator, or after stop")
        check(library.sinodag_start(settings_of(settings), _tell, None))
        _started, _process = True, os.getpid()


def ensure_started():
    """Starts sinodag if it is not up."""
    global _started, _process
    with _lock:
        if not _started:
            check(library.sinodag_start(None, _tell, None))
            _started, _process = True, os.getpid()


def stop():
    """Stops sinodag, as soon as every operator is closed. It stops by itself when Python ends."""
    global _started
    free_rest()
    with _lock:
        if _started:
            _started = False
            check(library.sinodag_stop())


@atexit.register
def _stop_at_end():
    if _process == os.getpid():
        stop()


def version():
    """The version of the library."""
    return library.sinodag_version().decode()
