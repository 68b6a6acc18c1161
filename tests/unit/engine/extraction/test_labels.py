"""Labels and their values as pages write them: without space, with abbreviations, with a cell for
the colon."""

from typing import Any

import pytest

from app.engine.extraction.records.extract import extract
from app.engine.extraction.schema.schema import plan

TEXT = {"type": "string"}
COUNT = {"type": "integer"}


def read(markup: str, language: str = "de", **fields: Any) -> dict[str, Any]:
    page = f"<html lang={language}><title>Seite</title><body><h1>Seite</h1>{markup}"
    schema = {"properties": {"title": TEXT, **fields}}
    [record] = extract(page, "https://site.test/page", plan(schema)).records
    return {name: value for name, value in record.data.items() if name != "title"}


def lines(*rows: tuple[str, str], between: str = "") -> str:
    shown = "".join(f"<p><i>{label}</i>{between}<i>{value}</i></p>" for label, value in rows)
    return f"<div>{shown}</div>"


@pytest.mark.parametrize("between", ["", " "])
def test_a_colon_needs_no_space_before_a_number(between: str) -> None:
    rows = (("Auflage:", "38.500.000"), ("Ausgabetag:", "14.04.1994"), ("Papier:", "weiß"))
    day = {"type": "string", "format": "date"}
    found = read(lines(*rows, between=between), auflage=COUNT, ausgabetag=day, papier=TEXT)
    assert found == {"auflage": 38_500_000, "ausgabetag": "1994-04-14", "papier": "weiß"}


def test_the_colon_of_a_time_names_nothing() -> None:
    found = read("<p>Um 19:30 Uhr</p><p>Ort: Halle 3</p>", um_19={"type": "integer"}, ort=TEXT)
    assert found == {"ort": "Halle 3"}


@pytest.mark.parametrize("label", ["Michel-Nr.:", "Michel-Nr. :", "Michel-Nr:"])
def test_a_label_may_end_with_the_dot_of_an_abbreviation(label: str) -> None:
    rows = ((label, "1718"), ("Papier:", "weiß"), ("Auflage:", "500"))
    found = read(lines(*rows), michel_nr=TEXT, papier=TEXT, auflage=COUNT)
    assert found == {"michel_nr": "1718", "papier": "weiß", "auflage": 500}


def test_a_dot_within_a_label_is_no_end_of_a_sentence() -> None:
    found = read("<p>Ab Lager. Art.-Nr.: B-17</p><p>Papier: weiß</p>", art_nr=TEXT, papier=TEXT)
    assert found == {"art_nr": "B-17", "papier": "weiß"}


def test_a_cell_for_the_colon_is_neither_label_nor_value() -> None:
    rows = "".join(
        f"<tr><td>{label}</td><td>:</td><td>{value}</td></tr>"
        for label, value in (("Product", "2-Butanone"), ("CAS-No.", "78-93-3"), ("Pages", "9"))
    )
    found = read(f"<table>{rows}</table>", "en", product=TEXT, cas_no=TEXT, pages=COUNT)
    assert found == {"product": "2-Butanone", "cas_no": "78-93-3", "pages": 9}


def test_an_amount_in_a_sentence_above_a_table_says_nothing_of_its_numbers() -> None:
    rows = "".join(
        f"<tr><td>{label}</td><td>{value}</td></tr>"
        for label, value in (("Hauteur (m)", "72"), ("Longueur (m)", "214"), ("Type", "voûte"))
    )
    said = "<p>Construit en 1956, il a coûté 2,1 milliards de francs.</p>"
    number = {"type": "number"}
    found = read(f"{said}<table>{rows}</table>", "fr", hauteur=number, longueur=number, type=TEXT)
    assert found == {"hauteur": 72, "longueur": 214, "type": "voûte"}


def test_a_heading_is_no_value_of_a_field_that_a_label_names() -> None:
    rows = "".join(
        f"<div><span>{label}</span> <span>{value}</span></div>"
        for label, value in (("Artist", "Elsa Varga"), ("Medium", "Oil"), ("Height", "61 cm"))
    )
    page = f"<title>Harbour at dusk</title><h1>Harbour at dusk</h1><div>{rows}</div>"
    fields = {"artist": TEXT, "medium": TEXT, "height": {"type": "number", "description": "cm"}}
    [record] = extract(page, "https://site.test/page", plan({"properties": fields})).records
    assert record.data == {"artist": "Elsa Varga", "medium": "Oil", "height": 61}


def test_labels_in_a_row_of_sentences_have_values_without_their_full_stops() -> None:
    row = (
        "<b>Head:</b> Prof. Ada Moorland. <b>Firm:</b> Alder Inc. <b>Deputies:</b> Dr Tom Birch, "
        "Dr Eve Salt. <b>Where:</b> Mill building, wards 3A and 3B."
    )
    assert read(f"<p>{row}</p>", "en", head=TEXT, firm=TEXT, location=TEXT) == {
        "head": "Prof. Ada Moorland",
        "firm": "Alder Inc.",
        "location": "Mill building, wards 3A and 3B",
    }


def test_the_full_stop_of_a_value_alone_stays() -> None:
    assert read("<p>Note: Closed on Mondays.</p>", "en", note=TEXT) == {
        "note": "Closed on Mondays."
    }


def test_a_label_within_a_paragraph_has_no_value_beyond_its_sentence() -> None:
    told = (
        "Send us a letter and no photo. Closing date: 20 June. Talks are held in July, and "
        "there is a day on a real ship for some."
    )
    assert read(f"<p>{told}</p>", "en", closing_date=TEXT) == {"closing_date": "20 June"}
