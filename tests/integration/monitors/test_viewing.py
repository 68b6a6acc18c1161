"""What the owner of a monitor has looked at, and what is new since."""

import pytest

from app.core import db, ids
from app.core.ids import Noun
from app.domains.records.monitors import change_store, owner_views, view_store
from app.domains.records.page_jobs import service as extractions
from tests import builders

pytestmark = pytest.mark.usefixtures("database")

END = "update extraction_runs set ended_at = now() where id = %(id)s"
NEXT = """
    insert into extraction_runs (id, job_id, n, ended_at) values (%(id)s, %(job_id)s, %(n)s, now())
    """


def test_what_a_run_reports_is_new_until_its_owner_has_looked(tx: db.Tx) -> None:
    owner, other = builders.account(tx), builders.account(tx, "other@example.org")
    body = {
        "source": {"type": "url", "url": "https://shop.example.org/"},
        "schedule": {"every": "1d"},
    }
    job = extractions.submit(tx, owner, "monitoring", body, kept_seconds=86_400)
    public_id = ids.public(Noun.JOB, job.id)

    def unseen(account_id: object = owner) -> list[int]:
        news = owner_views.news(tx, account_id, [public_id])  # type: ignore[arg-type]
        return [each.unseen for each in news.values()]

    def report(n: int) -> None:
        run_id = ids.new()
        db.run(tx, NEXT, id=run_id, job_id=job.id, n=n)
        for url in ("https://shop.example.org/a", "https://shop.example.org/b"):
            change_store.insert(tx, job_id=job.id, run_id=run_id, url=url, verdict="changed")

    db.run(tx, END, id=job.run_id)
    report(2)
    assert (owner_views.viewed(tx, owner, public_id), unseen()) == (None, [2])
    owner_views.view(tx, other, public_id)
    assert (unseen(), unseen(other)) == ([2], [])
    owner_views.view(tx, owner, public_id)
    assert (owner_views.viewed(tx, owner, public_id), unseen()) == (2, [0])
    report(3)
    assert unseen() == [2]
    assert view_store.view(tx, owner) == 1
    assert (owner_views.viewed(tx, owner, public_id), unseen()) == (3, [0])
    assert owner_views.viewed(tx, other, public_id) is None
