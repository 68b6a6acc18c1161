"""Nodes of a real OpenSearch: its published parts, copied by Maven and started one by one."""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import urllib3

from app.core.config.settings import environment
from tests.ports import free_port
from tests.servers import until

HERE: Final = Path(__file__).parent
_HEAP: Final = "512m"
_INSTALL_SECONDS: Final = 600


@dataclass(frozen=True, slots=True)
class Node:
    """A process with one node in it."""

    name: str
    url: str
    process: subprocess.Popen[bytes]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def get(self, path: str) -> Any:
        """The JSON at this path; LookupError while there is none."""
        try:
            answer = urllib3.request("GET", self.url + path, retries=False, timeout=30)
        except urllib3.exceptions.HTTPError:
            raise LookupError(path) from None
        if answer.status != 200:
            raise LookupError(path)
        return answer.json()


def jars() -> Path:
    """The folder of the server's parts, filled once; skips where Maven or its artifacts are not."""
    home = Path(sys.prefix) / "interop" / "opensearch"
    wanted, stamp = (HERE / "pom.xml").read_text(encoding="utf-8"), home / "installed.xml"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return home
    maven = shutil.which("mvn")
    if maven is None or shutil.which("java") is None:
        pytest.skip("Java and Maven are missing: an OpenSearch is made of Maven's artifacts")
    shutil.rmtree(home, ignore_errors=True)
    goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={home}"]
    copied = subprocess.run(
        [maven, "-q", "-B", "-f", str(HERE / "pom.xml"), *goal],
        capture_output=True,
        text=True,
        timeout=_INSTALL_SECONDS,
    )
    if copied.returncode:
        pytest.skip(f"Maven could not copy the server: {copied.stdout[-300:]}")
    stamp.write_text(wanted, encoding="utf-8")
    return home


@contextmanager
def cluster(folder: Path, size: int) -> Iterator[Sequence[Node]]:
    """So many nodes that have found each other."""
    names = [f"node{n}" for n in range(size)]
    seeds = [f"127.0.0.1:{free_port()}" for _ in names]
    with ExitStack() as stack:
        nodes = [
            stack.enter_context(_node(folder / name, name, at, names, seeds))
            for name, at in zip(names, seeds, strict=True)
        ]
        until(lambda: _has(nodes[0], size))
        yield nodes


@contextmanager
def _node(
    home: Path, name: str, at: str, names: Sequence[str], seeds: Sequence[str]
) -> Iterator[Node]:
    (home / "config").mkdir(parents=True)
    port = free_port()
    settings = {
        "node.name": name,
        "network.host": "127.0.0.1",
        "http.port": str(port),
        "http.type": "netty4",
        "transport.port": at.rpartition(":")[2],
        "transport.type": "netty4",
        "discovery.seed_hosts": ",".join(seeds),
        "cluster.initial_cluster_manager_nodes": ",".join(names),
        # A disk that is full of other things is not what is tried.
        "cluster.routing.allocation.disk.threshold_enabled": "false",
    }
    command = [
        "java",
        f"-Xms{_HEAP}",
        f"-Xmx{_HEAP}",
        "-cp",
        f"{jars()}/*",
        str(HERE / "Node.java"),
    ]
    stated = [f"{name}={value}" for name, value in settings.items()]
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, str(home), *stated], env=environment(), stdout=log, stderr=log
        )
    try:
        yield Node(name, f"http://127.0.0.1:{port}", process)
    finally:
        process.terminate()
        process.wait()


def _has(node: Node, size: int) -> bool:
    assert node.process.poll() is None, "the node ended"
    try:
        health = node.get("/_cluster/health")
    except LookupError:
        return False
    return bool(health["number_of_nodes"] == size and not health["initializing_shards"])
