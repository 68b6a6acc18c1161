"""Reads products from web pages into a CSV file, each value with the quote it was read from.

Run: python examples/extract_to_csv.py products.csv https://shop.example.org/lamp-{1,2,3}.html
"""

import sys
from dataclasses import dataclass
from typing import Annotated

from citegrid import Client


@dataclass
class Product:
    """One row. Citegrid looks for these names and descriptions on the pages."""

    name: str
    price: Annotated[float, "in euros"]
    material: str | None = None


def main(file: str, pages: list[str]) -> None:
    with Client() as client:
        job = client.jobs.extract(pages, Product, deadline="10m")
        job = client.jobs.wait(job.id)
        client.jobs.export(job.id, file, provenance=True)
        print(f"{file}: {job.progress.records} records")
        for page in client.jobs.pages(job.id):
            if page.outcome != "read":
                print(f"{page.url}: {page.outcome}", file=sys.stderr)
    if job.status != "completed":
        sys.exit(f"The job ended as {job.status}.")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
