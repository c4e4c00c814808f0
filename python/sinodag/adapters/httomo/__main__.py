# SPDX-License-Identifier: BSD-3-Clause
"""Tells httomo of the method."""
from . import register

for path in register():
    print(path)
