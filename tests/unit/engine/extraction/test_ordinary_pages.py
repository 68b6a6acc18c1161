"""Pages as shops, forums and agents write them: what may pass for a value and is none."""

import pytest

from tests.unit.engine.extraction.reading import records

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
MOMENT = {"type": "string", "format": "date-time"}


POST = (
    "<div class=post><p class=author>by <strong><a href=/u/{n}>{name}</a></strong> » "
    "<time>0{n} Sep 2026, 08:1{n}</time></p><div class=content>I would use oil.</div></div>"
)


def test_a_line_of_author_and_time_is_read_as_both() -> None:
    posts = [POST.format(n=n, name=name) for n, name in enumerate(("hen", "Old Tom", "tilda"), 1)]
    found = records("".join(posts), author=TEXT, posted_at=MOMENT)
    assert [each["author"] for each in found] == ["hen", "Old Tom", "tilda"]
    assert [each["posted_at"][:16] for each in found] == [
        "2026-09-01T08:11",
        "2026-09-02T08:12",
        "2026-09-03T08:13",
    ]


def test_a_day_is_no_author() -> None:
    found = records("<p class=author>Sun Dec 17, 2023 11:23 am</p><p>Text.</p>", author=TEXT)
    assert found == []


EVENT = "<article class=event><h3><a href=/{n}>{title}</a></h3><p class=date>{n} May 2026</p>"


def test_a_title_with_a_colon_is_whole() -> None:
    titles = ("Walk", "Film club: The Third Man", "Choir")
    events = "".join(EVENT.format(n=n, title=title) for n, title in enumerate(titles, 1))
    found = records(events, title=TEXT, date={"type": "string", "format": "date"})
    assert tuple(each["title"] for each in found) == titles


def test_a_price_in_a_sentence_makes_no_record() -> None:
    told = "In 2015 we built a new workshop, which cost £420,000 and took us a year."
    assert records(f"<h1>About us</h1><p>{told}</p>", product=TEXT, price=NUMBER) == []


def test_a_line_of_a_name_and_a_value_names_no_neighbour() -> None:
    lines = "<li>Energy rating B<li>Council tax band D<li>Garage<li>Sea view"
    found = records(f"<h1>Flat</h1><ul>{lines}</ul>", energy_rating=TEXT, council_tax_band=TEXT)
    assert found == [{"energy_rating": "B", "council_tax_band": "D"}]


def test_the_year_of_a_note_is_no_count() -> None:
    rows = (
        "<tr><th colspan=2>Population <span>(2025)<sup><a href=#n1>[1]</a></sup></span></th></tr>"
        "<tr><th>Density</th><td>430</td></tr><tr><th>Mayor</th><td>Ann Alder</td></tr>"
    )
    found = records(
        f"<h1>Town</h1><table>{rows}</table>", mayor=TEXT, population={"type": "integer"}
    )
    assert found == [{"mayor": "Ann Alder"}]


HOTEL = """<div itemscope itemtype="http://schema.org/Hotel"><h1 itemprop=name>Zur Linde</h1>
<div itemprop=address itemscope itemtype="http://schema.org/PostalAddress">
<span itemprop=streetAddress>Dorfstraße 8</span> <span itemprop=addressLocality>Zarten</span></div>
<div itemprop=aggregateRating itemscope itemtype="http://schema.org/AggregateRating">
<span itemprop=ratingValue>4.4</span> (<span itemprop=reviewCount>62</span>)</div>
<div itemprop=review itemscope itemtype="http://schema.org/Review"><span itemprop=name>Good</span>
<span itemprop=reviewRating itemscope><span itemprop=ratingValue>5</span></span></div>
<div itemprop=containedInPlace itemscope itemtype="http://schema.org/Place">
<span itemprop=name>Dreisamtal</span> <span itemprop=telephone>07661 555 99</span></div></div>"""


def test_the_parts_of_a_thing_are_no_records_of_their_own() -> None:
    found = records(HOTEL, name=TEXT, city=TEXT, rating=NUMBER, price_range=TEXT, reviewer=TEXT)
    assert [each.get("name") for each in found] == ["Zur Linde"]
    assert found[0]["city"] == "Zarten"


def test_the_telephone_of_a_part_with_a_name_is_not_that_of_the_whole() -> None:
    [found] = records(HOTEL, name=TEXT, city=TEXT, telephone=TEXT)
    assert "telephone" not in found


def items(kind: str, *texts: str) -> str:
    """A list as tools make it of the comments of programs: two blocks in each item."""
    shown = (
        f"<li><div class=item-name><a class={kind} href={name}.html>{name}</a></div>"
        f"<div class='desc docblock-short'>{text}</div></li>"
        for name, _, text in (each.partition(": ") for each in texts)
    )
    return f"<ul class=item-table>{''.join(shown)}</ul>"


def test_items_of_two_blocks_are_what_the_heading_above_them_says() -> None:
    traits = items("trait", "Floats: Keeps above water.", "Sails: Has a sail.", "Rows: Has oars.")
    functions = items("fn", "anchor: Drops it.", "berth: Finds one.", "cast_off: Leaves it.")
    page = f"<h1>Crate moor</h1><h2>Traits</h2>{traits}<h2>Functions</h2>{functions}"
    found = records(page, function=TEXT, description=TEXT)
    assert [each["function"] for each in found] == ["anchor", "berth", "cast_off"]
    assert [each["description"] for each in found] == ["Drops it.", "Finds one.", "Leaves it."]
    assert records(page, museum=TEXT, description=TEXT) == []


def test_a_heading_between_the_rows_of_a_table_is_no_record() -> None:
    names = ("Apple", "Pear", "Plum", "Leek", "Kale", "Beet")
    rows = [f"<tr><td>{name}<td>Spain<td>€{n}.50" for n, name in enumerate(names, 1)]
    heads = ["<tr><td><b>Fruit</b><td><td>", "<tr><td><b>Roots</b><td><td>"]
    shown = "".join((heads[0], *rows[:3], heads[1], *rows[3:]))
    table = f"<table><tr><th>Name<th>Origin<th>Price{shown}</table>"
    found = records(f"<h1>Market</h1>{table}", name=TEXT, origin=TEXT, price=NUMBER)
    assert [each["name"] for each in found] == list(names)


@pytest.mark.parametrize(
    ("shown", "rating"),
    [
        ("4.6 of 5 (212 reviews)", 4.6),
        ("4.6 out of 5 (212 reviews)", 4.6),
        ("4,6 von 5 (212 Bewertungen)", 4.6),
        ("4,6 sur 5 (212 avis)", 4.6),
        ("4,6 de 5 (212 opiniones)", 4.6),
        ("4/5 (212 reviews)", 4),
        ("4,6 / 5 – 212 votes", 4.6),
        ("Rated 4 out of 5", 4),
        ("4.6 (212 reviews)", 4.6),
    ],
)
@pytest.mark.parametrize("marked", ["", " class=rating"])
def test_the_best_rating_there_is_was_not_given(shown: str, rating: float, marked: str) -> None:
    body = f"<h1>Oak stool</h1><p>£40.00</p><p{marked}>{shown}</p>"
    assert records(body, name=TEXT, price=NUMBER, rating=NUMBER)[0].get("rating") == rating


def test_a_step_of_several_is_no_rating() -> None:
    body = "<h1>Oak stool</h1><p>£40.00</p><p>Image 2 of 5</p>"
    assert records(body, name=TEXT, price=NUMBER, rating=NUMBER) == [
        {"name": "Oak stool", "price": 40}
    ]


STORY = (
    "<h1>Tern saw</h1><p class=price><del>€48.00</del> €39.00</p>"
    "<p>A blade of carbon steel, 21 cm, that folds into a handle of ash. It cuts wet wood.</p>"
    "<h2>Changing the blade</h2><p>Open the screw by a turn and draw the blade to the front.</p>"
    "<ul><li>Never pull at its teeth<li>Wear gloves<li>Mind the spring</ul>"
    "<p>The Tern is not made for metal: the teeth would break. Have a look at the hacksaw.</p>"
    "<h2>Care</h2><ol><li>Dry it after use<li>Oil the screw now and then</ol>"
    "<h2>In the box</h2><ul><li>Saw<li>Cloth</ul>"
)


def test_the_sections_about_a_product_are_no_products() -> None:
    assert records(STORY, name=TEXT, price=TEXT) == [{"name": "Tern saw", "price": "€39.00"}]


NEWS = (
    ("Ferry out of service", "The ferry is being painted until the end of the month. " * 5),
    ("New bench at the weir", "It is made of larch and stands below the second lock."),
    ("Choir wanted", "Basses and tenors meet on Mondays in the hall. Altos need not wait. " * 2),
    ("Eels", "The trap is emptied once a week now, and the catch is given away."),
)


def test_articles_with_a_heading_a_time_and_a_paragraph_are_records() -> None:
    shown = "".join(
        f"<article><h2>{title}</h2><time>{day} June</time><p>{text}</p></article>"
        for day, (title, text) in enumerate(NEWS, 3)
    )
    found = records(f"<h1>News</h1>{shown}", title=TEXT, date=TEXT, text=TEXT)
    assert found == [
        {"title": title, "date": f"{day} June", "text": text.strip()}
        for day, (title, text) in enumerate(NEWS, 3)
    ]


def test_the_sign_of_a_price_tells_its_currency() -> None:
    body = "<h1>Kettle</h1><p class=price>£39.00</p><p>It boils a litre in two minutes.</p>"
    [found] = records(body, name=TEXT, price=NUMBER, currency=TEXT)
    assert found == {"name": "Kettle", "price": 39, "currency": "GBP"}
