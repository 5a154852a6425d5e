from typing import Any, Callable, ContextManager, Optional, TypeVar

from ._read import (AskError as AskError, DamageWarning as DamageWarning,
                    Error as Error, Events as Events, Figure as Figure,
                    Trace as Trace, read as read)
from ._table import (Finding as Finding, Findings as Findings,
                     Metrics as Metrics)
from ._study import Study as Study, study as study
from ._table import Table as Table

_F = TypeVar("_F", bound=Callable[..., Any])

__version__: str
active: bool
ai: Any

class region(ContextManager["region"]):
    def __init__(self, category: str, name: str, **args: Any) -> None: ...
    def update(self, **args: Any) -> None: ...
    def __enter__(self) -> "region": ...
    def __exit__(self, *why: Any) -> Optional[bool]: ...

def __getattr__(name: str) -> Any: ...
