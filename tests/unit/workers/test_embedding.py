"""Embedding that nobody waits for."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from workers.index import embeddings

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="threads have no priority of their own"
)


def priority() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def test_it_leaves_the_processor_to_others() -> None:
    assert embeddings._thread().submit(priority).result() > min(18, priority())


def test_in_a_worker_of_low_priority_it_steps_back_further() -> None:
    lower = min(19, priority() + 1)

    def step_back() -> int:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), lower)
        embeddings._step_back()
        return priority()

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(step_back).result() == min(19, lower + embeddings._NICE)
