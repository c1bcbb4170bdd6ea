"""The build backend: scikit-build-core's, whose source distribution here also holds the library.

The library is two folders up in a checkout. In a source distribution `library` has it, and the extension module's sources,
as they lie in a checkout.
"""

import os
import pathlib
import shutil
import sys
import tempfile

from scikit_build_core import build as backend
from scikit_build_core.build import *  # noqa: F403  # all hooks but the one below

HERE = pathlib.Path(__file__).resolve().parent
if not any((root / "src/fugu/fugu.hpp").exists() for root in (HERE / "library", HERE.parent.parent)):
    sys.exit("The package needs the library's sources, which a checkout of the project and a source distribution have")

LIBRARY = ["CMakeLists.txt", "LICENSE", "src/fugu", "src/python/extension", "kernels"]


def build_sdist(sdist_directory: str, config_settings: dict[str, list[str] | str] | None = None) -> str:
    if (HERE / "library").exists():  # in a source distribution, unpacked
        return backend.build_sdist(sdist_directory, config_settings)
    out = str(pathlib.Path(sdist_directory).resolve())
    with tempfile.TemporaryDirectory() as folder:
        staged = pathlib.Path(folder) / "fugu"
        shutil.copytree(HERE, staged, ignore=shutil.ignore_patterns("__pycache__", "extension", "build", "dist"))
        for name in LIBRARY:
            source, target = HERE.parents[1] / name, staged / "library" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
        before = pathlib.Path.cwd()
        os.chdir(staged)  # where the backend looks for pyproject.toml
        try:
            return backend.build_sdist(out, config_settings)
        finally:
            os.chdir(before)
