"""Extractions of one page each, half of them with a webhook that tells of their end."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from citegrid.errors import InvalidSignature
from citegrid.webhooks import verify

from tests.mixed.calling import Caller
from tests.mixed.clients import Clients
from tests.mixed.receiver import Message, Receiver
from tests.mixed.tally import Tally
from tests.mixed.world import LIGHTHOUSES, SCHEMA, Lighthouse, World

PATH: Final = "/v1/extract/jobs"
_YEARS_SECONDS: Final = 10 * 365 * 86_400.0


@dataclass(frozen=True, slots=True)
class Accepted:
    """One that was taken on, and the secret of its webhook."""

    id: str
    page: Lighthouse
    hook: str
    """Path at the receiver; empty without a webhook."""
    secret: str


class Extractions:
    """`hooked`: whether these have webhooks. Then the delivery is a job as well."""

    def __init__(self, clients: Clients, world: World, *, hooked: bool) -> None:
        self.kind = "webhook" if hooked else "extraction"
        self.jobs_each = 2 if hooked else 1
        self._clients, self._world, self._hooked = clients, world, hooked
        self._accepted: dict[str, Accepted] = {}

    def submit(self, count: int) -> None:
        chosen = [self._clients.random.choice(LIGHTHOUSES) for _ in range(count)]
        made = self._clients.each(self._submit, chosen)
        self._accepted.update({each.id: each for each in made})

    def _submit(self, caller: Caller, page: Lighthouse) -> Accepted:
        key = self._clients.key()
        hook = f"/hooks/{key}" if self._hooked else ""
        body: dict[str, Any] = {
            "type": "extraction",
            "source": {"type": "url", "url": self._world.site.url + page.path},
            "schema": SCHEMA,
            "deadline": "1h",
            "metadata": {"load": self.kind},
        }
        if hook:
            url = self._world.receiver.url(hook)
            body["webhook"] = {"url": url, "events": ["job.completed", "job.failed"]}
        answer = caller.post(PATH, body, key=key)
        assert answer.status == 202, answer
        secret = answer.body["webhook"]["secret"] if hook else ""
        return Accepted(answer.body["id"], page, hook, secret)

    def unfinished(self) -> int:
        open_jobs = 0
        with self._clients.one() as caller:
            for status in ("queued", "running"):
                listed = caller.get(f"{PATH}?type=extraction&status={status}&limit=1")
                open_jobs += len(listed.body["jobs"])
        return open_jobs + sum(
            not self._world.receiver.at(each.hook) for each in self._accepted.values() if each.hook
        )

    def tally(self, tally: Tally) -> None:
        tally.count("extraction", len(self._accepted))
        listed = self._clients.rows(f"{PATH}?type=extraction", "jobs")
        rows = {row["id"]: row for row in listed if row["metadata"].get("load") == self.kind}
        for id in rows.keys() - self._accepted.keys():
            tally.add("doubled", f"job {id} was requested once")
        for id in self._accepted.keys() - rows.keys():
            tally.add("lost", id)
        known = [rows[id] for id in self._accepted.keys() & rows.keys()]
        good = [row["id"] for row in known if tally.ended(row)]
        for id, records in self._clients.each(self._records, good):
            self._compare(tally, id, records)
        for each in self._accepted.values():
            if each.hook:
                tally_hook(tally, self._world.receiver, each)

    @staticmethod
    def _records(caller: Caller, id: str) -> tuple[str, list[dict[str, Any]]]:
        return id, caller.every(f"{PATH}/{id}/records", "records")

    def _compare(self, tally: Tally, id: str, records: list[dict[str, Any]]) -> None:
        data, expected = [record["data"] for record in records], self._accepted[id].page.record
        if data == [expected] * len(data) and len(data) > 1:
            tally.add("doubled", f"{id}: {len(data)} records of one page")
        elif data != [expected]:
            tally.add("wrong", f"{id}: {data}")


def tally_hook(tally: Tally, receiver: Receiver, job: Accepted) -> None:
    """Of each job one event, however often it came."""
    tally.count("webhook", 1)
    messages = receiver.at(job.hook)
    if not messages:
        tally.add("lost", f"no webhook of {job.id}")
    if len(messages) > 1:
        tally.add("doubled", f"{len(messages)} events of {job.id}")
    for problem in _problems(messages, job):
        tally.add("wrong", f"{job.id}: {problem}")


def _problems(by_id: dict[str, list[Message]], job: Accepted) -> Iterator[str]:
    for id, messages in by_id.items():
        if len({message.body for message in messages}) > 1:
            yield f"{id} has two contents"
        event = json.loads(messages[0].body)
        if (event["type"], event["data"]["id"]) != ("job.completed", job.id):
            yield f"{id} says {event['type']} of {event['data']['id']}"
        try:
            verify(
                messages[0].body,
                messages[0].headers,
                job.secret,
                tolerance_seconds=_YEARS_SECONDS,  # looked at long after it came
            )
        except InvalidSignature as error:
            yield f"{id}: {error}"
