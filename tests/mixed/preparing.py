"""What a mixed load needs in the database: an account with a key, credit, nodes and a corpus."""

from dataclasses import dataclass
from functools import partial
from typing import Final

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.account.accounts.key_rules import SCOPES
from app.domains.library.corpora import service as corpora
from app.local.database import database
from app.local.work import wait_for
from tests import builders, node_work
from tests.mixed.campaigns import Campaigners
from tests.mixed.world import World

_CREDIT: Final = "1000000"
_CORPUS: Final = "lighthouses"
# The first answers of a new judge are tests and decide nothing.
_TESTED: Final = "insert into reputations (account_id, right_answers) values (%s, %s)"
_RIGHT_ANSWERS: Final = 40


@dataclass(frozen=True, slots=True)
class Prepared:
    account_key: str
    campaigners: Campaigners


def prepare(settings: Settings, world: World) -> Prepared:
    """For a running installation with these settings; returns when all pages are indexed."""
    with database(settings):
        prepared = account(settings)
        with db.transaction() as tx:
            corpora.add(tx, _CORPUS, "site", world.address, {}, refresh_every_seconds=None)
            corpora.refresh(tx, _CORPUS)
        indexed = wait_for(partial(corpora.last_refresh, name=_CORPUS), lambda _progress: None)
        assert indexed.state == "succeeded", indexed
        return prepared


def another(settings: Settings) -> Prepared:
    """One more account, from a process that is connected to no database."""
    with database(settings):
        return account(settings)


def account(settings: Settings) -> Prepared:
    """A new account that owns a load, with those who take part in its campaigns."""
    with db.transaction() as tx:
        owner, contributor, judge = (
            builders.account(tx, f"{name}-{ids.new().hex}@example.org")
            for name in ("owner", "contributor", "judge")
        )
        builders.credit(tx, owner, _CREDIT)
        tx.execute(_TESTED, [judge, _RIGHT_ANSWERS])
        reading = node_work.node(tx, settings, contributor, work=["extraction"])
        judging = node_work.node(tx, settings, judge, work=["validation"])
        return Prepared(
            builders.api_key(tx, settings, owner, SCOPES),
            Campaigners(
                builders.access_token(tx, settings, owner),
                (ids.public(Noun.NODE, reading[0]), reading[1]),
                (ids.public(Noun.NODE, judging[0]), judging[1]),
            ),
        )
