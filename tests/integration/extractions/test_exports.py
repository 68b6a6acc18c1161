"""Exports of many records: memory stays flat, and a reader that stalls holds no transaction."""

import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import psutil
import psycopg
import pytest

from app.core import db, ids
from app.core.config import Settings
from app.domains.extractions import extracting, working  # noqa: F401
from app.domains.extractions import service as extractions
from tests import builders, servers
from tests.deployed import Deployed, deployed

RECORDS = 100_000
FILL = """
    insert into extraction_records (id, run_id, page_id, position, data, unsatisfied, provenance,
                                    candidates, confidence)
    select gen_random_uuid(), %(run_id)s, %(page_id)s, %(n)s * 100000 + place,
           jsonb_build_object('name', 'Product ' || place, 'price', place / 100.0,
                              'description', repeat('words of a description ', 20)),
           '[]', '[]', '{}', 0.9
    from generate_series(0, %(records)s - 1) as place
    """
