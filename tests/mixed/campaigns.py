"""Campaigns for the records of all lighthouses, done by a node that reads and one that judges."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, NamedTuple

from tests.mixed.calling import Caller
from tests.mixed.clients import Clients
from tests.mixed.nodes import EXTRACTION, VALIDATION, ScriptedNode
from tests.mixed.tally import Tally
from tests.mixed.world import LIGHTHOUSES, SCHEMA, World

AMOUNT: Final = Decimal(len(LIGHTHOUSES))
"""What a campaign is funded with."""

_OBJECTIVE: Final = "lighthouses, when they were built and how many metres high they are"


class Campaigners(NamedTuple):
    """Who takes part beside the account of the load: its session, and two nodes of others."""

    access_token: str
    reading_node: tuple[str, str]
    judging_node: tuple[str, str]


@dataclass
class _Campaign:
    id: str
    over: bool = False


class Campaigns:
    """One campaign is two jobs a lighthouse: a page to be read, a record to be judged."""

    kind = "campaign"
    jobs_each = 2 * len(LIGHTHOUSES)

    def __init__(self, clients: Clients, world: World, campaigners: Campaigners) -> None:
        self._clients, self._world = clients, world
        self._token = campaigners.access_token
        self._campaigns: list[_Campaign] = []
        self.nodes = [
            ScriptedNode(clients, *campaigners.reading_node, EXTRACTION),
            ScriptedNode(clients, *campaigners.judging_node, VALIDATION),
        ]
        for node in self.nodes:
            node.start()

    def close(self) -> None:
        for node in self.nodes:
            node.stop()

    def submit(self, count: int) -> None:
        first = len(self._campaigns)
        self._campaigns += self._clients.each(self._submit, range(first, first + count))

    def _submit(self, caller: Caller, number: int) -> _Campaign:
        body = {
            "name": f"Lighthouses {number}",
            "objective": _OBJECTIVE,
            "data_requirements": {
                "sources": ["web"],
                "freshness": "30d",
                "records_target": len(LIGHTHOUSES),
            },
            "reward_budget": {"token": "USD", "amount": str(AMOUNT)},
            "validation": {"min_validators": 1, "require_citations": True},
            "schema": SCHEMA,
        }
        made = caller.post("/v1/campaigns", body, key=self._clients.key())
        assert made.status in (200, 201), made
        funder = self._clients.caller(self._token)
        money = {"amount": str(AMOUNT)}
        funded = funder.post(
            f"/v1/campaigns/{made.body['id']}/fund", money, key=self._clients.key()
        )
        funder.close()
        assert funded.status in (200, 201), funded
        return _Campaign(made.body["id"])

    def unfinished(self) -> int:
        going = [each for each in self._campaigns if not each.over]
        self._clients.each(self._look, going)
        return sum(not each.over for each in going)

    @staticmethod
    def _look(caller: Caller, campaign: _Campaign) -> None:
        runs = caller.every(f"/v1/campaigns/{campaign.id}/runs", "runs")
        campaign.over = any(run["state"] in ("closed", "skipped") for run in runs)

    def tally(self, tally: Tally) -> None:
        tally.count(self.kind, self.jobs_each * len(self._campaigns))
        ours = {campaign.id for campaign in self._campaigns}
        for row in self._clients.rows("/v1/campaigns", "campaigns"):
            if row["id"] not in ours:
                tally.add("doubled", f"campaign {row['id']} was requested once")
        for id, records in self._clients.each(self._records, ours):
            self._judge(tally, id, records)
        for campaign in self._campaigns:
            if not campaign.over:
                tally.add("open", campaign.id)

    @staticmethod
    def _records(caller: Caller, id: str) -> tuple[str, list[dict[str, Any]]]:
        return id, caller.every(f"/v1/campaigns/{id}/records?state=any", "records")

    @staticmethod
    def _judge(tally: Tally, id: str, records: Sequence[dict[str, Any]]) -> None:
        times = Counter(
            tuple(record["data"].values()) for record in records if record["state"] == "accepted"
        )
        expected = {tuple(each.record.values()) for each in LIGHTHOUSES}
        for missing in expected - times.keys():
            tally.add("lost", f"{id} has no {missing}")
        for data, count in times.items():
            if data not in expected:
                tally.add("wrong", f"{id}: {data}")
            elif count > 1:
                tally.add("doubled", f"{id}: {count} times {data}")
