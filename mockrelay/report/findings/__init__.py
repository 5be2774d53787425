"""What a client did wrong: what single calls show is noted where they are judged, the rest is seen here over calls."""

from mockrelay.report.findings.kept import Findings
from mockrelay.report.findings.watcher import Watcher

__all__ = ["Findings", "Watcher"]
