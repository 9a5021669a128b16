"""The optional group `live`: Python clients of the recorded systems."""

from __future__ import annotations

from importlib.util import find_spec

from conformance.record.errors import PackagesUnavailable


def require_live(*modules: str) -> None:
    """Raise `PackagesUnavailable` for the first of these modules that is not installed."""
    for module in modules:
        if find_spec(module) is None:
            raise PackagesUnavailable(f"The module {module}", "it is not installed", "pip install 'quorate[live]'")
