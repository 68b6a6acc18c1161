"""Public ids in the paths of routes."""

import pytest
from werkzeug.routing import Map, MapAdapter, Rule

from app.core import ids
from app.core.http.request_parser import read_ids
from app.core.ids import Noun


@pytest.fixture
def urls() -> MapAdapter:
    urls = Map()
    read_ids(urls)
    urls.add(Rule("/jobs/<job:job_id>", endpoint="show"))
    return urls.bind("localhost")


def test_a_view_is_given_the_uuid(urls: MapAdapter) -> None:
    id = ids.new()
    assert urls.match(f"/jobs/{ids.public(Noun.JOB, id)}") == ("show", {"job_id": id})


@pytest.mark.parametrize("text", ["nonsense", "run_aaaaaaaaaaaaaaaaaaaaaaaaai"])
def test_what_is_no_id_of_the_noun_is_routed_as_one_that_no_row_has(
    urls: MapAdapter, text: str
) -> None:
    assert urls.match(f"/jobs/{text}") == ("show", {"job_id": ids.lookup(Noun.JOB, "never issued")})


def test_an_address_is_made_of_an_id_in_either_form(urls: MapAdapter) -> None:
    id = ids.new()
    public = ids.public(Noun.JOB, id)
    assert urls.build("show", {"job_id": id}) == f"/jobs/{public}"
    assert urls.build("show", {"job_id": public}) == f"/jobs/{public}"
