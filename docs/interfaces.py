#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The same five jobs by sinodag, ASTRA, CIL, scikit-image and svmbir, as far as python3 has them: lines of code, processor time and error.

    PYTHONPATH=python SINODAG_LIBRARY=build/libsinodag.so python3 docs/interfaces.py [SIDE [SLICES]]

Each job is a function; its lines are those of its body. Time is that of all cores together, the least of three runs; ASTRA's
kernels on cores use one. The jobs: project a stack, backproject it, FBP, 20 iterations of CG for least squares, and least
squares with a quadratic prior on the gradient by a solver of SciPy or of the package."""
import inspect
import resource
import sys

import numpy as np

SIDE = int(sys.argv[1]) if len(sys.argv) > 1 else 256
SLICES = int(sys.argv[2]) if len(sys.argv) > 2 else 8
ANGLES = np.linspace(0, np.pi, 180, endpoint=False)
JOBS = ["project", "backproject", "fbp", "cg 20", "own prior"]


class Sinodag:
    def set_up(self):
        import sinodag
        self.A = sinodag.Operator(ANGLES, SIDE, slices=SLICES)

    def project(self, x):
        return self.A @ x

    def backproject(self, y):
        return self.A.T @ y

    def fbp(self, y):
        return self.A.solve(y, algorithm="fbp")

    def cg(self, y):
        return self.A.solve(y, algorithm="cg", iterations=20)

    def own_prior(self, y):
        import pylops
        from sinodag.adapters.pylops import Projector
        P = Projector(self.A)
        stacked = pylops.VStack([P, 3 * pylops.Gradient(P.dims)])
        rhs = np.concatenate([y[0].ravel(), np.zeros(2 * SIDE * SIDE)])
        return pylops.cgls(stacked, rhs, niter=20)[0].reshape(1, SIDE, SIDE)


class Astra:
    def set_up(self):
        import astra
        self.astra = astra
        self.volume = astra.create_vol_geom(SIDE, SIDE)
        # ASTRA's angles turn the other way (docs/CONVENTIONS.md).
        beam = astra.create_proj_geom("parallel", 1.0, SIDE, ANGLES)
        self.projector = astra.create_projector("linear", beam, self.volume)

    def project(self, x):
        y = []
        for image in x:
            number, sinogram = self.astra.create_sino(image, self.projector)
            self.astra.data2d.delete(number)
            y.append(sinogram)
        return np.stack(y)

    def backproject(self, y):
        x = []
        for sinogram in y:
            number, image = self.astra.create_backprojection(sinogram, self.projector)
            self.astra.data2d.delete(number)
            x.append(image)
        return np.stack(x)

    def fbp(self, y):
        x = []
        for sinogram in y:
            number, image = self.astra.create_reconstruction("FBP", self.projector, sinogram)
            self.astra.data2d.delete(number)
            x.append(image)
        return np.stack(x)

    def cg(self, y):
        x = []
        for sinogram in y:
            number, image = self.astra.create_reconstruction("CGLS", self.projector, sinogram, 20)
            self.astra.data2d.delete(number)
            x.append(image)
        return np.stack(x)

    def own_prior(self, y):
        import pylops
        W = self.astra.OpTomo(self.projector)
        P = pylops.aslinearoperator(W)
        stacked = pylops.VStack([P, 3 * pylops.Gradient((SIDE, SIDE))])
        rhs = np.concatenate([y[0].ravel(), np.zeros(2 * SIDE * SIDE)])
        return pylops.cgls(stacked, rhs, niter=20)[0].reshape(1, SIDE, SIDE)


class Cil:
    def set_up(self):
        from cil.framework import AcquisitionGeometry
        from cil.plugins.astra import ProjectionOperator
        self.beam = AcquisitionGeometry.create_Parallel2D().set_panel(SIDE).set_angles(ANGLES, angle_unit="radian")
        self.image = self.beam.get_ImageGeometry()
        self.A = ProjectionOperator(self.image, self.beam, device="cpu")

    def project(self, x):
        y = []
        for image in x:
            data = self.image.allocate(None)
            data.fill(image)
            y.append(self.A.direct(data).as_array())
        return np.stack(y)

    def backproject(self, y):
        x = []
        for sinogram in y:
            data = self.beam.allocate(None)
            data.fill(sinogram)
            x.append(self.A.adjoint(data).as_array())
        return np.stack(x)

    def cg(self, y):
        from cil.optimisation.algorithms import CGLS
        x = []
        for sinogram in y:
            data = self.beam.allocate(None)
            data.fill(sinogram)
            solver = CGLS(initial=self.image.allocate(0), operator=self.A, data=data, update_objective_interval=20)
            solver.run(20, verbose=0)
            x.append(solver.solution.as_array())
        return np.stack(x)

    def own_prior(self, y):
        from cil.optimisation.algorithms import CGLS
        from cil.optimisation.operators import BlockOperator, GradientOperator
        from cil.framework import BlockDataContainer
        data = self.beam.allocate(None)
        data.fill(y[0])
        gradient = 3 * GradientOperator(self.image)
        rhs = BlockDataContainer(data, gradient.range.allocate(0))
        solver = CGLS(initial=self.image.allocate(0), operator=BlockOperator(self.A, gradient), data=rhs,
                      update_objective_interval=20)
        solver.run(20, verbose=0)
        return solver.solution.as_array()[None]


class ScikitImage:
    def set_up(self):
        from skimage.transform import iradon, radon
        self.radon, self.iradon = radon, iradon
        self.degrees = np.rad2deg(ANGLES)

    def project(self, x):
        return np.stack([self.radon(image, self.degrees).T for image in x])

    def backproject(self, y):
        return np.stack([self.iradon(sinogram.T, self.degrees, filter_name=None) for sinogram in y])

    def fbp(self, y):
        return np.stack([self.iradon(sinogram.T, self.degrees) for sinogram in y])


class Svmbir:
    def set_up(self):
        import svmbir
        self.svmbir = svmbir
        svmbir.project(np.zeros((1, SIDE, SIDE), np.float32), ANGLES, SIDE, verbose=0)  # stores the matrix in files

    def project(self, x):
        return np.swapaxes(self.svmbir.project(x, ANGLES, SIDE, verbose=0), 0, 1)

    def backproject(self, y):
        return self.svmbir.backproject(np.swapaxes(y, 0, 1), ANGLES, num_rows=SIDE, num_cols=SIDE, verbose=0)


def lines_of(function):
    return sum(1 for line in inspect.getsource(function).splitlines()[1:] if line.strip())


def seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure(function, *arguments):
    best = np.inf
    for _ in range(3):
        begin = seconds()
        result = function(*arguments)
        best = min(best, seconds() - begin)
    return best, result


def truth():
    y, x = np.mgrid[:SIDE, :SIDE] / (SIDE - 1) * 2 - 1
    image = 1.0 * (np.hypot(x, y) < 0.8) + (np.hypot(x - 0.3, y - 0.2) < 0.25) - (np.hypot(x + 0.3, y) < 0.15)
    return np.repeat(image[None].astype(np.float32), SLICES, 0)


def main():
    x = truth()
    for package in (Astra, Cil, ScikitImage, Svmbir, Sinodag):
        subject = package()
        try:
            begin = seconds()
            subject.set_up()
        except ImportError as error:
            print(f"{package.__name__}: skipped: {error}")
            continue
        print(f"{package.__name__}: set-up {lines_of(package.set_up)} lines, {seconds() - begin:.2f} s")
        y = subject.project(x)
        for job, name, of in zip(JOBS, ("project", "backproject", "fbp", "cg", "own_prior"), (x, y, y, y, y)):
            function = getattr(subject, name, None)
            if function is None:
                print(f"  {job:12} not there on cores")
                continue
            took, result = measure(function, of)
            image = name in ("fbp", "cg", "own_prior")
            off = np.linalg.norm(result - x[:len(result)]) / np.linalg.norm(x[:len(result)]) if image else np.nan
            print(f"  {job:12} {lines_of(getattr(package, name)):3} lines {took:8.3f} s" + (f"  error {100 * off:.1f} %" if image else ""))


main()
