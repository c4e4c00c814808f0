# SPDX-License-Identifier: BSD-3-Clause
"""sinodag: tomographic operators, for NumPy and SciPy, on all cores.

    import numpy as np, sinodag

    angles = np.linspace(0, np.pi, 360, endpoint=False)
    A = sinodag.Operator(angles, columns=512)
    projections = A @ image             # (512, 512) -> (360, 512); (S, 512, 512) -> (S, 360, 512)
    image = A.T @ projections

    volume = sinodag.recon(counts, angles, flats, darks, algorithm="fbp")

Messages go to logging.getLogger("sinodag"). Every error is a sinodag.Error with the text that the program would print;
sinodag.BadInput is a ValueError, too, and sinodag.Failed a RuntimeError. Calls release the GIL; calls of several threads
take turns, each with all workers.
"""
from ._errors import BadInput, Error, Failed
from ._library import start, stop, version
from ._operator import Operator
from ._recon import recon
from ._settings import with_settings as _with_settings

start = _with_settings("start")(start)

__all__ = ["BadInput", "Error", "Failed", "Operator", "recon", "start", "stop", "version"]
__version__ = version()
