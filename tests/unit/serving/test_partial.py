"""When a request is whole, piece by piece and for any bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.serving import partial
from app.serving.partial import PartialRequest

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\n"
WHOLE = {
    "without a body": HEAD + b"\r\n",
    "with a length": HEAD + b"content-length: 4\r\n\r\nbody",
    "in chunks": HEAD
    + b"Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\nA;x=1\r\n0123456789\r\n0\r\n\r\n",
    "with trailers": HEAD
    + b"Transfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\nX: 1\r\nY: 2\r\n\r\n",
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_request_is_complete_with_its_last_byte_and_not_before(name: str) -> None:
    request = PartialRequest()
    complete = []
    for at in range(len(WHOLE[name])):
        request.data += WHOLE[name][at : at + 1]
        complete.append(request.is_complete())
    assert complete == [False] * (len(WHOLE[name]) - 1) + [True]


@pytest.mark.parametrize("name", WHOLE)
def test_bytes_of_the_next_request_do_not_matter(name: str) -> None:
    assert PartialRequest(WHOLE[name] + HEAD).is_complete()


@given(st.lists(st.sampled_from([*HEAD.splitlines(True), b"\r\n", b"0\r\n", b"\n", b"4\r\nbody"])))
def test_pieces_and_the_whole_are_judged_alike(pieces: list[bytes]) -> None:
    whole, request, complete = b"".join(pieces), PartialRequest(), False
    for piece in pieces:
        request.data += piece
        complete = complete or request.is_complete()
    assert complete or not PartialRequest(whole).is_complete()


@pytest.mark.parametrize(
    ("line", "most"),
    [
        (b"PUT /v1/corpora/corp_a/documents/a/b.md", partial.UPLOAD_BYTES),
        (b"POST /v1/corpora/corp_a/documents", partial.UPLOAD_BYTES),
        (b"POST /documents/corp_a/upload", partial.UPLOAD_BYTES),
        (b"POST /documents/corp_a/ask", partial.BODY_BYTES),
        (b"PUT /v1/corpora/corp_a/documents", partial.BODY_BYTES),
        (b"POST /v1/corpora/corp_a/documents/a", partial.BODY_BYTES),
        (b"PUT /v1/corpora/?/documents/a", partial.BODY_BYTES),
    ],
)
def test_an_uploaded_document_may_be_larger_than_other_bodies(line: bytes, most: int) -> None:
    judged = []
    for length in (most, most + 1):
        request = PartialRequest(line + b" HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % length)
        request.is_complete()
        judged.append(request.too_large)
    assert judged == [False, True]


@given(st.binary(max_size=300), st.sampled_from([b"", *WHOLE.values()]))
def test_any_bytes_can_be_judged(noise: bytes, before: bytes) -> None:
    assert PartialRequest(before[:-3] + noise).is_complete() in (True, False)
