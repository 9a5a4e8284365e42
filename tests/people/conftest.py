from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.people.house import House


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    from tests.people.house import served  # needs the judging app; its tests are skipped where it is absent

    one = served(tmp_path, "pairs")
    yield one
    one.store.close()
