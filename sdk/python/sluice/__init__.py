"""sluice streams JSON records through plugins: this package writes plugins in Python and runs pipelines from it."""

from .arguments import Mistake
from .declare import Plugin, plugin
from .record import Place, Record
from .verdict import Decline, Drop, Fatal, Reject, Verdict, decline, drop, fatal, reject

__version__ = "0.1.0"

__all__ = [
    "Decline", "Drop", "Fatal", "Mistake", "Place", "Plugin", "Record", "Reject", "Verdict",
    "decline", "drop", "fatal", "main", "plugin", "reject",
]


def main(*plugins: Plugin) -> None:
    """Serves the plugins, or all that were declared, to the host that started this process, and does not return."""
    from .serve import main as serve

    serve(*plugins)
