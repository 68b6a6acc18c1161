"""Embedding that nobody waits for."""

import os
import sys
import threading

import pytest

from workers import embedding


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priority of their own")
def test_it_leaves_the_processor_to_others() -> None:
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    thread = embedding._thread()
    its = thread.submit(lambda: os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
    assert its.result() > ours
