"""Records with a model beside those of the rules."""

from app.engine.extraction.schema.schema import plan
from app.engine.models.chat import ChatModel
from bench.extract.data import Page
from bench.extract.with_model import first_readings, judge

TEXT = {"type": "string"}
WANTED = plan({"type": "object", "properties": {"name": TEXT, "colour": TEXT}})
MARKUP = "<title>Oak lamp</title><h1>Oak lamp</h1><p>Colour: red</p>"
PAGE = Page("shop.test", "https://shop.test/1", MARKUP, {"name": "Oak lamp", "colour": "red"})


def test_only_what_rules_leave_open_is_asked_for_and_its_tokens_are_counted() -> None:
    with first_readings() as url:
        cells = judge("lamps", [(WANTED, PAGE)], ChatModel(url, "m"), (1.0, 1.0)).split(" | ")
    assert cells[:4] == ["| lamps", "1", "1.000", "1.000"]
    assert cells[6:9] == ["1", "120", "0.00012"]
