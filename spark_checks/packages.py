"""What workers need of quorate, as one file that Spark hands to them: the packages that judge and follow."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, is_zipfile

PACKAGES: Final = ("spec", "reference_impl", "conformance", "spark_checks")
"""What tasks import."""


def packed(folder: Path) -> Path:
    """A zip of the packages, as they are in this process; one that they were imported from already serves as it is."""
    found = {package: Path(str(import_module(package).__file__)).parent for package in PACKAGES}
    came_in = {home.parent for home in found.values()}
    if len(came_in) == 1 and is_zipfile(whole := came_in.pop()):
        return whole
    target = folder / "quorate.zip"
    with ZipFile(target, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for home in found.values():
            for path in sorted(home.rglob("*")):
                if path.is_file() and path.suffix != ".pyc":
                    archive.write(path, path.relative_to(home.parent))
    return target
