# SPDX-License-Identifier: BSD-3-Clause
"""sinodag within other packages. Each module is imported by its name and needs the package that it is called after:

    sinodag.adapters.tomopy    recon() with TomoPy's arguments (needs nothing)
    sinodag.adapters.pylops    an operator of PyLops
    sinodag.adapters.cil       a projection operator of CIL
    sinodag.adapters.torch     a function of PyTorch with its derivative
    sinodag.adapters.jax       the same for JAX
    sinodag.adapters.httomo    a method of httomo
"""
