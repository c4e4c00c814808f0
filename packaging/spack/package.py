# SPDX-License-Identifier: BSD-3-Clause
# docs/PACKAGES.md tells how to use this recipe.
from spack_repo.builtin.build_systems.meson import MesonPackage

from spack.package import *


class Sinodag(MesonPackage):
    """Reconstruction of tomography volumes as StarPU task graphs, on the cores and GPUs of a workstation and on the nodes
    of a cluster."""

    version("1.0.0")
    # The recipe names no place of the sources; docs/PACKAGES.md gives it one by `spack develop`.

    license("BSD-3-Clause")

    variant("cuda", default=False, description="Kernels for NVIDIA GPUs")
    variant(
        "cuda_arch",
        default="major",
        description="GPU architectures: major (the first of each generation), all, or numbers",
        values=("major", "all", "70", "75", "80", "86", "89", "90", "100", "120"),
        multi=True,
        when="+cuda",
    )
    variant("mpi", default=True, description="Several processes, by MPI and StarPU-MPI")
    variant("opencl", default=False, description="Kernels for OpenCL devices")
    variant("simgrid", default=False, description="The program that simulates machines, instead of the usual one")
    variant("python", default=False, description="The package for Python")

    conflicts("+cuda", when="+simgrid", msg="a simulation needs no CUDA: simulated GPUs are there without")
    conflicts("+mpi", when="+simgrid", msg="this recipe's simulator is that of one process: use ~mpi+simgrid")
    conflicts("+opencl", when="+simgrid", msg="a simulation needs no OpenCL")
    conflicts("+python", when="+simgrid", msg="a simulator has no libsinodag")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("meson@1.0:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")

    depends_on("starpu@1.3.9:")
    depends_on("starpu+cuda", when="+cuda")
    depends_on("starpu+opencl", when="+opencl")
    depends_on("starpu+simgrid~mpi~cuda~opencl", when="+simgrid")
    for has in ("+", "~"):
        depends_on(f"starpu{has}mpi", when=f"{has}mpi~simgrid")
    depends_on("simgrid", when="+simgrid")
    depends_on("mpi", when="+mpi")
    depends_on("cuda", when="+cuda")
    depends_on("opencl-icd-loader", when="+opencl")
    depends_on("hwloc@2:")
    depends_on("hdf5@1.10:+hl")
    depends_on("libcyaml@1.4:")
    depends_on("libyaml")
    depends_on("libtiff")
    depends_on("libpng")
    depends_on("fftw@3.3:~mpi precision=float,double")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("libzip")
    depends_on("xxhash")
    depends_on("jansson")
    extends("python", when="+python")
    depends_on("python@3.9:", type=("build", "run"), when="+python")
    depends_on("py-numpy@1.22:", type="run", when="+python")

    def meson_args(self):
        def feature(name):
            return f"-D{name}={'enabled' if self.spec.satisfies(f'+{name}') else 'disabled'}"

        args = [feature("cuda"), feature("mpi"), feature("opencl"), "-Dtests=false"]
        if self.spec.satisfies("+cuda"):
            args.append(f"-Dgpu_arch={','.join(self.spec.variants['cuda_arch'].value)}")
        if self.spec.satisfies("+python"):
            args += ["-Dpython=true", f"-Dpython.purelibdir={python_purelib}"]
        return args

    def test_demo(self):
        """a reconstruction of a simulated scan"""
        if self.spec.satisfies("+simgrid"):
            raise SkipTest("the simulator computes nothing")
        which(self.prefix.bin.sinodag)("demo", "--size", "64", "--slices", "4", "--angles", "60", "--out", "demo")
