"""Builds and loads the C++ of native/: the word aligner and the fused training kernels."""

import functools
import hashlib
import os
import platform
import subprocess
from pathlib import Path

import torch
from torch.utils import cpp_extension

from .errors import TrainingError

_SOURCES = Path(__file__).parent / "native"
# Without OpenMP `at::parallel_for` would compile to a plain loop on one thread.
_FLAGS = ["-O3", "-march=native", "-ffast-math", "-fno-finite-math-only", "-std=c++20", "-fPIC", "-shared", "-fopenmp", "-w"]
if platform.machine() == "x86_64":
    _FLAGS.append("-mprefer-vector-width=512")


def _processor() -> str:
    """What `-march=native` depends on."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line for line in lines if line.startswith("flags"))
    except (OSError, StopIteration):
        return platform.processor()


@functools.cache
def load(name: str):
    """Compiles `native/<name>.cpp` for this processor (once; later calls find it built) and returns its operators.

    One compiler call rather than torch's own builder: that one needs ninja, and a killed build leaves a lock on which
    every later run waits for ever.
    """
    source = _SOURCES / f"{name}.cpp"
    key = hashlib.sha256("\0".join([source.read_text(), torch.__version__, _processor(), *_FLAGS]).encode()).hexdigest()
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "wanderwort-train"
    library = cache / f"{name}-{key[:16]}.so"
    if not library.exists():
        cache.mkdir(parents=True, exist_ok=True)
        partial = library.with_suffix(f".{os.getpid()}.partial")
        command = [os.environ.get("CXX", "c++"), *_FLAGS, str(source), "-o", str(partial)]
        command += [f"-I{path}" for path in cpp_extension.include_paths()]
        command += [f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}"]
        for path in cpp_extension.library_paths():
            command += [f"-L{path}", f"-Wl,-rpath,{path}"]
        command += ["-lc10", "-ltorch_cpu", "-pthread"]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except FileNotFoundError as error:
            raise TrainingError(f"{command[0]}: no C++ compiler; install g++ 11 or newer, or set CXX") from error
        if done.returncode:
            raise TrainingError(f"{source} does not build (g++ 11 or newer is needed):\n{done.stderr[-4000:]}")
        os.replace(partial, library)
    torch.ops.load_library(str(library))
    return getattr(torch.ops, f"wanderwort_{name}")
