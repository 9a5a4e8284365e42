"""A served study, for the tests of the judging app."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from kataribe.people.judge.app import make_app
from kataribe.people.judge.store import Store
from kataribe.people.judge.study import Study
from tests.people.judging import ADMIN, HttpRater, made_study


class House:
    def __init__(self, study: Study) -> None:
        self.study = study
        self.store = Store(study.database, study.fingerprint())
        self.client = TestClient(make_app(study, self.store, ADMIN), base_url="http://judge.test")

    def link(self) -> str:
        return f"/r/{self.store.invite()[1]}"

    def rater(self) -> HttpRater:
        return HttpRater(self.client, self.link())

    def admin(self) -> dict[str, str]:
        answer = self.client.get("/admin", params={"token": ADMIN}, follow_redirects=False)
        cookie = answer.headers["set-cookie"].partition(";")[0]
        self.client.cookies.clear()
        return {"cookie": cookie}


def served(folder: Path, kind: str, **changes: Any) -> House:
    return House(made_study(folder, kind, **changes))
