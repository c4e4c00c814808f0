# SPDX-License-Identifier: BSD-3-Clause
"""Builds the wheel of the package sinodag for pip (PEP 517), with what the distribution has: Python, meson and ninja.

pip calls these functions in the top folder. The shared library is built in build-python, or in the folder that
SINODAG_BUILD names if it was set up before, and becomes a file of the package. As a program this prints the metadata.

The same sources, compiler and libraries give the same bytes: files of the wheel are as old as SOURCE_DATE_EPOCH.
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sysconfig
import sys
import tarfile
import time
import zipfile

TOP = pathlib.Path(__file__).resolve().parents[1]
SUMMARY = "Tomographic operators and reconstruction on all cores and GPUs, by StarPU"


def _version():
    return re.search(r"version: '([^']+)'", (TOP / "meson.build").read_text(encoding="utf-8"))[1]


def _environment():
    """That of the caller, without what pip sets to hide installed packages from this file: meson is one of them."""
    apart = dict(os.environ)
    paths = apart.pop("PYTHONPATH", "").split(os.pathsep)
    kept = [path for path in paths if path and "pip-build-env-" not in path]
    if kept:
        apart["PYTHONPATH"] = os.pathsep.join(kept)
    if len(kept) < len([path for path in paths if path]):
        apart.pop("PYTHONNOUSERSITE", None)
    return apart


def _run(*command):
    print(" ".join(map(str, command)), flush=True)
    try:
        subprocess.run(command, check=True, cwd=TOP, env=_environment())
    except FileNotFoundError:
        raise SystemExit(f"sinodag: there is no {command[0]}; needed: the packages of docs/BUILDING.md") from None
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"sinodag: {command[0]} failed with exit code {error.returncode}") from None


def _build_library():
    folder = TOP / os.environ.get("SINODAG_BUILD", "build-python")
    if not (folder / "build.ninja").exists():
        _run("meson", "setup", folder, TOP, "-Dtests=false")
    _run("meson", "compile", "-C", folder, "sinodag:shared_library")
    return (folder / "libsinodag.so").resolve()


def _metadata():
    return (
        f"Metadata-Version: 2.1\nName: sinodag\nVersion: {_version()}\nSummary: {SUMMARY}\nLicense: BSD-3-Clause\n"
        "Requires-Python: >=3.9\nRequires-Dist: numpy>=1.22\nDescription-Content-Type: text/markdown\n\n"
        + (TOP / "docs" / "PYTHON.md").read_text(encoding="utf-8")
    )


def _record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def _write(wheel, path, content):
    entry = zipfile.ZipInfo(path, time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
    wheel.writestr(entry, content)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel, and returns its name."""
    del config_settings, metadata_directory
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    info, tag = f"sinodag-{_version()}.dist-info", f"py3-none-{platform}"
    package = TOP / "python"
    files = {str(path.relative_to(package)): path.read_bytes()
             for path in sorted((package / "sinodag").rglob("*")) if path.suffix in (".py", ".pyi", ".typed")}
    files["sinodag/libsinodag.so"] = _build_library().read_bytes()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: sinodag\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = (TOP / "LICENSE").read_bytes()
    record = "".join(_record_line(name, content) for name, content in files.items()) + f"{info}/RECORD,,\n"
    files[f"{info}/RECORD"] = record.encode()
    name = f"sinodag-{_version()}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            _write(wheel, path, content)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """Writes the files that git knows as an archive, and returns its name."""
    del config_settings
    base = f"sinodag-{_version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, check=True, capture_output=True, text=True).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for path in listed.split("\0"):
            if path:
                archive.add(TOP / path, f"{base}/{path}", recursive=False)
        metadata = pathlib.Path(sdist_directory) / "PKG-INFO"
        metadata.write_text(_metadata(), encoding="utf-8")
        archive.add(metadata, f"{base}/PKG-INFO")
        metadata.unlink()
    return f"{base}.tar.gz"


if __name__ == "__main__":
    sys.stdout.write(_metadata())
