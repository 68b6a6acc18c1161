"""Lists of the operator's commands leave nothing out, and speak of no account of the operator's."""

from app.core import db
from app.core.config.settings import Settings
from tests import builders, node_work
from tests.integration.local.conftest import Run

PAYOUTS = """
    insert into payouts (id, account_id, token, amount, destination, state)
    select gen_random_uuid(), %s, 'T' || n, 1, 'wallet 7', 'requested'
    from generate_series(1, 1001) n
    """
CAMPAIGNS = """
    insert into campaigns (id, account_id, body, token, reward, records_target, k,
                           freshness_seconds, cadence_seconds, state, funded)
    select gen_random_uuid(), %s, '{"name": "owls"}', 'USD', 0.5, 10, 2, 86400, 86400, 'active', 2.5
    from generate_series(1, 401) n
    """


def test_all_open_payouts_are_listed(run: Run, database: None) -> None:
    with db.transaction() as tx:
        tx.execute(PAYOUTS, [builders.account(tx)])
    assert run("payouts", "list").stdout.count("wallet 7") == 1001


def test_nodes_are_listed_with_the_e_mail_of_their_owner(
    run: Run, settings: Settings, database: None
) -> None:
    with db.transaction() as tx:
        node_work.node(tx, settings, builders.account(tx, "cellar@example.org"))
    assert run("nodes", "list").stdout.split()[1] == "cellar@example.org"


def test_all_campaigns_are_listed_once_with_amounts_as_elsewhere(run: Run, database: None) -> None:
    with db.transaction() as tx:
        tx.execute(CAMPAIGNS, [builders.account(tx)])
    lines = run("campaigns", "list").stdout.splitlines()
    assert len({line.split()[0] for line in lines}) == len(lines) == 401
    assert lines[0].split()[2:] == ["USD", "2.5", "of", "2.5", "'owls'"]


def test_a_thing_that_is_not_there_is_not_said_to_be_anothers(run: Run, database: None) -> None:
    for words in (
        ["payouts", "settle", "pout_none", "--reference", "T-1"],
        ["campaigns", "report", "camp_none"],
        ["nodes", "pause", "node_none"],
    ):
        refused = run(*words)
        assert (refused.exit_code, "was found" in refused.stderr) == (1, True)
        assert "your account" not in refused.stderr
