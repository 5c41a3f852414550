"""sluice streams JSON records through plugins: this package writes plugins in Python and runs pipelines from it."""

import os
import sys
from typing import TYPE_CHECKING, Any

from .arguments import Mistake
from .declare import Plugin, plugin
from .record import Place, Record
from .verdict import Decline, Drop, Fatal, Reject, Verdict, decline, drop, fatal, reject

if TYPE_CHECKING:
    from .running import Diagnostic, Failed, Receipt, dataset, run
    from .streaming import Rejected, Row, Stream, stream

__version__ = "0.1.0"

# On Linux a host runs a script through a descriptor of the file that it has hashed. What lies beside the script is found by its real path.
if str(getattr(sys.modules.get("__main__"), "__file__", "")).startswith("/proc/self/fd/"):
    sys.modules["__main__"].__file__ = os.path.realpath(sys.modules["__main__"].__file__)

__all__ = [
    "Decline", "Diagnostic", "Drop", "Failed", "Fatal", "Mistake", "Place", "Plugin", "Receipt", "Record", "Reject", "Rejected", "Row",
    "Stream", "Verdict", "dataset", "decline", "drop", "fatal", "main", "plugin", "reject", "run", "stream",
]


def main(*plugins: Plugin) -> None:
    """Serves the plugins, or all that were declared, to the host that started this process, and does not return."""
    from .serve import main as serve

    serve(*plugins)


def __getattr__(name: str) -> Any:
    """Imports what runs pipelines when it is first asked for: a plugin starts without it."""
    if name in ("Diagnostic", "Failed", "Receipt", "dataset", "run"):
        from . import running

        return getattr(running, name)
    if name in ("Rejected", "Row", "Stream", "stream"):
        from . import streaming

        return getattr(streaming, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
