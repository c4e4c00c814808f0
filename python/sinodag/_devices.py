# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of other libraries, in main memory and on CUDA devices, by DLPack, CUDA's array interface and the buffer protocol."""
import ctypes
import sys

import numpy as np

from ._errors import BadInput

# Kinds of devices of DLPack: CPU, and pinned memory of CUDA and ROCm; memory of CUDA's devices, and memory that CUDA manages.
_IN_MAIN_MEMORY = (1, 3, 11)
_ON_CUDA = (2, 13)
_DEVICES = {4: "an OpenCL device", 7: "a Vulkan device", 8: "a Metal device", 10: "a ROCm device", 14: "a oneAPI device"}
_LEGACY_STREAM = 1  # the producer's work comes before that of this stream, in which the library copies


class OnDevice(np.ndarray):
    """Shape, strides, type and address of an array on a CUDA device, as a NumPy array of which nobody may read an element. Views
    of it are such arrays, too."""


class _Tensor(ctypes.Structure):
    """DLTensor"""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned"""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_KINDS = {0: "i", 1: "u", 2: "f", 4: "bfloat", 5: "c", 6: "b"}
_READ_ONLY = 1  # of flags

_is_capsule = ctypes.pythonapi.PyCapsule_IsValid
_is_capsule.restype, _is_capsule.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def _view(kind, layout, owner):
    """An array of a class over memory of somebody else: layout is (address, type, shape, strides in bytes); it keeps the owner."""
    address, dtype, shape, strides = layout
    first = last = 0
    for size, stride in zip(shape, strides):
        first += min(0, (size - 1) * stride)
        last += max(0, (size - 1) * stride)
    if 0 in shape:
        first, last = 0, -dtype.itemsize
    memory = (ctypes.c_char * (last - first + dtype.itemsize)).from_address(address + first)
    memory.owner = owner
    return np.ndarray.__new__(kind, shape, dtype, memory, -first, strides)


def _steps(shape, itemsize):
    """Strides of C order."""
    steps = []
    for size in reversed(shape):
        steps.append(itemsize)
        itemsize *= max(size, 1)
    return tuple(reversed(steps))


def _of_capsule(capsule, kind):
    """The tensor of a capsule of DLPack, which frees it when it goes, since nobody takes it over."""
    read_only = False
    if _is_capsule(capsule, b"dltensor_versioned"):
        versioned = ctypes.cast(_pointer_of(capsule, b"dltensor_versioned"), ctypes.POINTER(_Versioned)).contents
        if versioned.major != 1:
            raise BadInput(f"an array by DLPack {versioned.major}.{versioned.minor}; allowed: DLPack up to 1")
        tensor, read_only = versioned.tensor, bool(versioned.flags & _READ_ONLY)
    elif _is_capsule(capsule, b"dltensor"):
        tensor = ctypes.cast(_pointer_of(capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents
    else:
        raise BadInput("an array whose __dlpack__() gives no capsule that is unused; allowed: one of DLPack")
    name = f"{_KINDS.get(tensor.code, 'unknown')}{tensor.bits // 8}"
    if tensor.lanes != 1 or tensor.code not in (0, 1, 2, 6) or tensor.bits not in (8, 16, 32, 64):
        raise BadInput(f"an array of type {name} by DLPack; allowed: real numbers of up to 64 bits")
    dtype = np.dtype(name)
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(step * dtype.itemsize for step in tensor.strides[: tensor.ndim]) if tensor.strides else _steps(shape, dtype.itemsize)
    array = _view(kind, ((tensor.data or 0) + tensor.byte_offset, dtype, shape, strides), capsule)
    array.flags.writeable = not read_only
    return array


def _by_dlpack(values, kind):
    """By DLPack, the newer form first, which tells whether the array may be written. On devices the producer lets the legacy stream
    wait for its work."""
    stream = {"stream": _LEGACY_STREAM} if kind is OnDevice else {}
    try:
        try:
            capsule = values.__dlpack__(**stream, max_version=(1, 0))
        except TypeError:
            capsule = values.__dlpack__(**stream)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:  # as of a tensor of PyTorch that requires a gradient
        raise BadInput(f"an array of {type(values).__module__} that cannot be shared ({error})") from error
    return _of_capsule(capsule, kind)


def _by_cuda(values):
    """By CUDA's array interface, as of Numba. The library waits for all that the device has been given, in any stream."""
    told = values.__cuda_array_interface__
    if told.get("mask") is not None:
        raise BadInput("an array with a mask on a CUDA device; allowed: arrays without")
    address, read_only = told["data"]
    dtype, shape = np.dtype(told["typestr"]), tuple(told["shape"])
    strides = told.get("strides")
    array = _view(OnDevice, (address or 0, dtype, shape, _steps(shape, dtype.itemsize) if strides is None else tuple(strides)), values)
    array.flags.writeable = not read_only
    return array


def as_array(values):
    """Arrays of other libraries without a copy: a NumPy array, or an OnDevice."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise BadInput(f"an array with {np.ma.count_masked(values)} masked elements; allowed: none, as filled() gives it")
    if isinstance(values, np.ndarray):
        return values
    if not hasattr(values, "__dlpack__"):
        return _by_cuda(values) if hasattr(values, "__cuda_array_interface__") else np.asarray(values)
    kind = int(values.__dlpack_device__()[0])
    if kind in _ON_CUDA:
        return _by_dlpack(values, OnDevice)
    if kind not in _IN_MAIN_MEMORY:
        raise BadInput(f"an array on {_DEVICES.get(kind, f'a device of kind {kind}')}; allowed: arrays in main memory, or on a CUDA device")
    return _by_dlpack(values, np.ndarray)


def module_of(values):
    """The package that an array is of: "torch", "cupy", "numpy" …"""
    return type(values).__module__.split(".")[0]


def like(values, shape, dtype):
    """A new array on the device of `values`, which are there: of PyTorch or CuPy, or, of other packages, a NumPy array."""
    if module_of(values) == "torch":
        return values.new_empty(shape)
    if module_of(values) == "cupy":
        with values.device:
            return sys.modules["cupy"].empty(shape, dtype)
    return np.empty(shape, dtype)


def _strides_of(values, shape):
    """Strides of a view of this shape with as many elements; None: there is no such view. NumPy would read elements to find out."""
    old = [(size, stride) for size, stride in zip(values.shape, values.strides) if size != 1]
    strides, i, j = [values.itemsize] * len(shape), 0, 0
    while i < len(old) and j < len(shape):
        here, there, end, last = old[i][0], shape[j], i + 1, j + 1
        while here != there:  # dimensions i to end become j to last
            if there < here:
                there, last = there * shape[last], last + 1
            else:
                here, end = here * old[end][0], end + 1
        if any(old[k][1] != old[k + 1][0] * old[k + 1][1] for k in range(i, end - 1)):
            return None
        step = old[end - 1][1]
        for k in reversed(range(j, last)):
            strides[k], step = step, step * shape[k]
        i, j = end, last
    return strides


def shaped(values, shape):
    """A view of this shape; of NumPy's arrays in main memory a copy, if it must be."""
    if not isinstance(values, OnDevice):
        return values.reshape(shape)
    strides = _steps(shape, values.itemsize) if values.size == 0 else _strides_of(values, shape)
    if strides is None:
        raise BadInput(f"an array on a CUDA device with the shape {values.shape} and strides of {values.strides} bytes, which is no view"
                       f" of shape {shape}; allowed: a copy in C order")
    return _view(OnDevice, (values.ctypes.data, values.dtype, shape, tuple(strides)), values)
