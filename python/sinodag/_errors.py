# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions of sinodag."""


class Error(Exception):
    """An error of sinodag, with its text."""


class BadInput(Error, ValueError):
    """An argument or a setting is invalid."""


class Failed(Error, RuntimeError):
    """No memory, a full disk, or a library's error."""


for _kind in (Error, BadInput, Failed):
    _kind.__module__ = "sinodag"
