"""The compiled core: the build of it that is made for the processor at hand.

`KATARIBE_PORTABLE=1` in the environment asks for the one that runs on every processor.
"""

import os
import sys
from importlib import import_module

from kataribe import _processor

_name = "portable" if os.environ.get("KATARIBE_PORTABLE") == "1" else _processor.best_core()
sys.modules[__name__] = import_module(f"kataribe._native_{_name}")
