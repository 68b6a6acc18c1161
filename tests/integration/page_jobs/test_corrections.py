"""A record that was corrected on its page: the new job runs to its end and has learnt from it."""

from app.web.pages.records import corrections
from tests.integration.page_jobs.reading import LAMP, Workshop


def page(name: str, price: int) -> str:
    body = f"<p class=k>{name}</p><p class=q>{price}</p><h1>Shop</h1>"
    return f"<html lang=en><body>{body}</body></html>"


def test_the_corrected_value_stays_and_the_other_pages_follow(shop: Workshop) -> None:
    shop.site.pages |= {"/alder": page("Alder", 12), "/birch": page("Birch", 19)}
    source = shop.urls("/alder", "/birch")
    right = [{"name": "Alder", "price": 12}, {"name": "Birch", "price": 19}]
    before = shop.read(source)
    assert [record for record in right if record in before.data] == []

    form = {"url": f"{shop.site.url}/alder", "data.name": "Alder", "data.price": "12"}
    corrected = corrections.request_body({"source": source, "schema": LAMP}, form)
    after = shop.read(source, examples=corrected["examples"])
    assert after.job.status == "completed"
    assert after.data == right
