"""What a fuzzer begins with: small true examples of each format, and what once broke a parser."""

import base64
import gzip
import io
import json
from typing import Final

from PIL import Image

from tests.unit.engine.pages.packages import document, epub, paragraph, table
from tests.unit.engine.pages.pdf_bytes import pdf


def _picture(form: str) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (3, 2), "teal").save(written, form)
    return written.getvalue()


def _data_url(form: str) -> bytes:
    return f"data:image/{form};base64,{base64.b64encode(_picture(form)).decode()}".encode()


URLS: Final = (
    b"https://example.org/a%20b?c=d#e",
    "https://bücher.example.com/straße".encode(),
    b"http://[2606:4700::1111]:8080/",
    b"http://0x7f.1/",
    b"http://2130706433/",
    b"https://user:password@example.org/",
    b"https://example.org.:443/%2e%2e/x",
)
DATA_URLS: Final = (_data_url("png"), _data_url("jpeg"), _data_url("webp"))
JSON: Final = (
    b'{"query": "a \\"quoted\\" word", "depth": [1, -2.5e3, true, null]}',
    b'[[[[{"a":[{"b":"\\ud83d\\ude00"}]}]]]]',
    b"\xef\xbb\xbf{}",
)
HTML: Final = (
    b"""<!doctype html><html lang=en><head><title>A lamp</title><meta charset=utf-8>
<link rel=canonical href=/lamp><script type="application/ld+json">{"@type":"Product","name":"Lamp",
"offers":{"price":"12.50","priceCurrency":"EUR"}}</script></head><body><nav><a href=/>Home</a></nav>
<main><h1>A lamp</h1><p>The lamp costs 12.50 EUR &amp; weighs 2&nbsp;kg.</p><table><tr><th>Colour
<td>red</table><pre><code>light(on)</code></pre><ul><li>one<li>two</ul></main></body></html>""",
    "<p>Größe &#x1F600; &#0; <b><i>falsch</b></i> \x0c\x1e".encode("utf-16"),
    b"<svg><foreignObject><p>text</p></foreignObject></svg><template><p>never</p></template>",
)
PDFS: Final = (
    pdf([(24, 72, "A heading"), (11, 100, "The lamp costs 12.50 EUR.")], info="/Title (Lamp)"),
    pdf([(11, 72, "One page")], [(11, 72, "and another")]),
)
MARKDOWN: Final = (
    b"---\ntitle: A lamp\ndate: 2026-01-02\n---\n# A lamp\n\nIt [costs](/price) **12.50** EUR.\n\n"
    b"| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nlight(on)\n```\n\n1. one\n   - two\n> quoted\n",
)
DOCX: Final = (
    document(
        paragraph("A lamp", style="Titre1")
        + paragraph("It costs 12.50 EUR.")
        + paragraph("one", level=0)
        + table(["Colour", "red"])
    ).encode(),
)
PACKAGES: Final = (epub("<h1>A lamp</h1><p>It costs 12.50 EUR.</p>"),)
CSV: Final = (b'Name,Price\n"A ""lamp""",12.50\n,\n', b"1;2\n3;4")
_PAYMENT: Final = json.dumps(
    {
        "x402Version": 2,
        "accepted": {
            "scheme": "exact",
            "network": "eip155:8453",
            "asset": "0x" + "a" * 40,
            "amount": "10000",
            "payTo": "0x" + "b" * 40,
            "maxTimeoutSeconds": 60,
        },
        "payload": {
            "signature": "0x" + "1" * 130,
            "authorization": {
                "from": "0x" + "c" * 40,
                "to": "0x" + "b" * 40,
                "value": "10000",
                "validAfter": "0",
                "validBefore": "99999999999",
                "nonce": "0x" + "d" * 64,
            },
        },
        "extensions": {"payment-identifier": {"info": {"id": "pay_0123456789abcdef"}}},
    }
).encode()
PAYMENTS: Final = (_PAYMENT, b"{}")
PAYMENT_HEADERS: Final = tuple(base64.b64encode(payment) for payment in PAYMENTS)
SCHEMAS: Final = (
    json.dumps(
        {
            "title": "Lamp",
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string", "maxLength": 80, "pattern": "^[A-Z]"},
                "price": {"type": ["number", "null"], "minimum": 0},
                "colours": {"type": "array", "items": {"enum": ["red", "blue"]}},
                "maker": {"$ref": "#/$defs/maker"},
            },
            "$defs": {"maker": {"type": "object", "properties": {"name": {"type": "string"}}}},
        }
    ).encode(),
    b'{"type":"object","properties":{"a":{"allOf":[{"type":"string"},{"format":"date"}]}}}',
    b'{"type":"object","properties":{"a":{"$ref":"#"}}}',
)
ROBOTS: Final = (
    b"User-agent: *\nDisallow: /a*b$\nAllow: /a/b\nCrawl-delay: 2.5\n\nUser-agent: Citegrid\n"
    b"Disallow:\nSitemap: https://site.example.org/sitemap.xml\nRequest-rate: 1/5m\n",
    b"\xef\xbb\xbfuser-agent:citegrid\rdisallow:/%e3%82",
)
SITEMAPS: Final = (
    b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>'
    b"https://site.example.org/a</loc><lastmod>2026-01-02T03:04:05+01:00</lastmod></url></urlset>",
    b"<sitemapindex><sitemap><loc>/b.xml</loc><lastmod>2026</lastmod></sitemap></sitemapindex>",
    b"https://site.example.org/a\nhttp://site.example.org/b\n",
    gzip.compress(b"<urlset><url><loc>https://site.example.org/z</loc></url></urlset>", mtime=0),
)
