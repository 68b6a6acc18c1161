"""The reader of strangers' documents: limits, and a child that is replaced and never leaked."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from app.engine.pages.page import PageUnreadable, Unreadable
from app.engine.pages.site.sitemap import read_sitemap
from app.engine.sandbox import child_process
from app.engine.sandbox import reader as reader_of_documents
from app.engine.sandbox.child_process import ChildWatch
from app.engine.sandbox.documents import Document, ReadingScope
from app.engine.sandbox.prepare import read_document
from app.engine.sandbox.reader import UNHURRIED, DocumentReader, ReaderLimits, ReaderNotReady
from app.local.embedded.children import alive
from tests.patience import PATIENCE_SECONDS
from tests.servers import until
from tests.unit.engine.pages.packages import DOCX, EPUB, docx, epub, paragraph, table
from tests.unit.engine.pages.pdf_bytes import pdf

ROOT = Path(__file__).parents[4]
URL = "https://example.org/2021/03/owls"
OWLS = (
    "<html lang=en><head><title>Owls</title><meta name=author content=Ann></head><body>"
    "<h1>Barn owls</h1><p>The barn owl hunts at night, and weighs between 250 and 480 grams.</p>"
    "<ul><li>eggs<li>young</ul><pre>an owl()</pre><p>See <a href='/b'>others</a>.</p></body></html>"
)
LIMIT = 2.0  # seconds that a child may be idle
COSTLY = Document(b"[" * 400_000, "text/markdown", "utf-8", URL)  # seconds of CPU


def html(markup: str) -> Document:
    return Document(markup.encode(), "text/html", "utf-8", URL)


def soon(seconds: float = PATIENCE_SECONDS) -> float:
    return time.monotonic() + seconds


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader()
    yield reader
    reader.close()


@pytest.fixture
def own() -> Iterator[DocumentReader]:
    """A reader that a test may spoil, already warm."""
    reader = DocumentReader(ReaderLimits(seconds=LIMIT))
    reader.read(html(OWLS), soon())
    yield reader
    reader.close()


def refusal(
    reader: DocumentReader, document: Document, wanted: ReadingScope, deadline: float
) -> Unreadable:
    with pytest.raises(PageUnreadable) as caught:
        reader.read(document, deadline, wanted)
    return caught.value.reason


DOCUMENTS = {
    "html": html(OWLS),
    "markdown": Document(
        b"---\ntitle: Owls\ndate: 2020-01-02\n---\n# Owls\n\nEggs.", "text/markdown", None, URL
    ),
    "western": Document("Eulen für Anfänger.".encode("cp1252"), "text/plain", "cp1252", URL),
    "cyrillic": Document("Совы охотятся ночью.".encode("koi8-r"), "text/plain", "koi8-r", URL),
    "docx": Document(docx(paragraph("Owls", style="Titre1") + table(["a", "b"])), DOCX, None, URL),
    "epub": Document(epub("<h1>Owls</h1><p>They hunt at night.</p>"), EPUB, None, URL),
    "csv": Document(b"Eule;Gewicht\nSchleiereule;300 g\n", "text/csv", None, URL),
    "pdf": Document(
        pdf([(24, 700, "Owls"), (11, 660, "They hunt at night.")]), "application/pdf", None, URL
    ),
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_the_child_reads_what_would_be_read_here(
    reader: DocumentReader, document: Document
) -> None:
    assert reader.read(document, soon()) == read_document(document)


def test_a_sitemap_is_read_as_here(reader: DocumentReader) -> None:
    body = b"<urlset><url><loc>https://e.org/a</loc><lastmod>2020-01-02</lastmod></url></urlset>"
    assert reader.read_sitemap(body, URL, soon()) == read_sitemap(body, URL)


def test_a_sitemap_that_is_none_is_unreadable(reader: DocumentReader) -> None:
    with pytest.raises(PageUnreadable, match="unreadable"):
        reader.read_sitemap(b"Not found", URL, soon())


def test_what_reading_refuses_is_refused_for_the_same_reason(reader: DocumentReader) -> None:
    assert refusal(reader, html(" "), ReadingScope(), soon()) is Unreadable.EMPTY


@pytest.mark.parametrize(("wanted", "lack"), [(3, Unreadable.TOO_LARGE.value), (9, None)])
def test_only_as_many_passages_as_are_wanted_come_and_the_page_says_so(
    reader: DocumentReader, wanted: int, lack: str | None
) -> None:
    sections = "".join(f"<h2>Part {i}</h2><p>Owl {i} was seen.</p>" for i in range(9))
    reading = reader.read(html(sections), soon(), ReadingScope(passages=wanted))
    assert (len(reading.passages), reading.page.lack) == (wanted, lack)


def test_terms_that_are_not_wanted_do_not_come(reader: DocumentReader) -> None:
    assert reader.read(html(OWLS), soon(), ReadingScope(terms=False)).terms == ()


def test_one_child_reads_one_document_after_another(reader: DocumentReader) -> None:
    reader.read(html(OWLS), soon())
    first = reader.pid
    reader.read(html(OWLS), soon())
    assert reader.pid == first


def test_a_document_beyond_its_cpu_time_is_too_costly() -> None:
    with closing(DocumentReader()) as reader:
        wanted = ReadingScope(cpu_seconds=0.2)
        assert refusal(reader, COSTLY, wanted, soon()) is Unreadable.TOO_COSTLY


def test_a_document_beyond_its_memory_is_too_costly() -> None:
    with closing(DocumentReader(ReaderLimits(memory_bytes=8 << 20))) as reader:
        large = html("<p>word</p>" * 90_000)
        assert refusal(reader, large, ReadingScope(), soon()) is Unreadable.TOO_COSTLY


def test_a_child_that_hangs_is_ended_and_the_next_document_read(own: DocumentReader) -> None:
    hanging = own.pid or 0
    os.kill(hanging, signal.SIGSTOP)
    assert refusal(own, html(OWLS), ReadingScope(), soon()) is Unreadable.TOO_COSTLY
    assert not alive(hanging)
    assert own.read(html(OWLS), soon()).page.title == "Owls"


def test_the_deadline_of_whoever_waits_is_kept(own: DocumentReader) -> None:
    os.kill(own.pid or 0, signal.SIGSTOP)
    with pytest.raises(ReaderNotReady):
        own.read(html(OWLS), soon(0.3))


class Looks:
    """The looks at a child that has this state, and no CPU time of late. Counts them."""

    def __init__(self, state: str) -> None:
        self.state, self.count = state, 0

    def __call__(self) -> tuple[str, float]:
        self.count += 1
        return self.state, 0.0


def test_a_child_that_waits_for_a_processor_is_not_ended(
    own: DocumentReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = Looks("R")
    monkeypatch.setattr(ChildWatch, "_look", lambda _self: looks())
    starved = own.pid or 0
    os.kill(starved, signal.SIGSTOP)

    def go_on() -> None:
        until(lambda: looks.count > 2 * LIMIT / child_process._POLL_SECONDS)
        os.kill(starved, signal.SIGCONT)

    resuming = threading.Thread(target=go_on)
    resuming.start()
    assert own.read(html(OWLS), UNHURRIED).page.title == "Owls"
    resuming.join()


def test_a_child_that_starts_slowly_and_works_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reader_of_documents, "_START_SECONDS", 0.01)
    monkeypatch.setattr(ChildWatch, "_look", lambda _self: ("R", 0.0))
    with closing(DocumentReader()) as reader:
        assert reader.read(html(OWLS), UNHURRIED).page.title == "Owls"


def test_a_child_that_does_not_start_is_no_fault_of_the_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reader_of_documents, "_START_SECONDS", 0.01)
    monkeypatch.setattr(child_process, "_templates", {})
    template = child_process.start_template(DocumentReader.program)
    os.kill(template.pid, signal.SIGSTOP)
    with pytest.raises(ReaderNotReady):
        DocumentReader().read(html(OWLS), UNHURRIED)
    os.kill(template.pid, signal.SIGKILL)
    template.close()


def test_a_child_that_switched_its_own_limit_off_is_ended_by_its_cpu_time(
    own: DocumentReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent = itertools.count(step=10.0)
    monkeypatch.setattr(ChildWatch, "_look", lambda _self: ("R", next(spent)))
    os.kill(own.pid or 0, signal.SIGSTOP)
    assert refusal(own, html(OWLS), ReadingScope(), UNHURRIED) is Unreadable.TOO_COSTLY


def test_the_answer_that_an_interrupted_caller_did_not_take_is_no_other_documents(
    own: DocumentReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(watch: ChildWatch, act: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ChildWatch, "patiently", interrupted)
        with pytest.raises(KeyboardInterrupt):
            own.read(html(OWLS), soon())
    assert own.pid is None


def test_a_child_killed_between_two_documents_is_replaced(own: DocumentReader) -> None:
    former = own.pid or 0
    os.kill(former, signal.SIGKILL)
    until(lambda: not alive(former))
    assert own.read(html(OWLS), soon()).page.title == "Owls"


def test_a_child_that_was_idle_for_long_is_replaced(
    own: DocumentReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle = own.pid
    monkeypatch.setattr(child_process, "IDLE_SECONDS", -1.0)
    own.read(html(OWLS), soon())
    assert own.pid != idle


def test_a_child_that_its_parent_has_left_ends_by_itself(own: DocumentReader) -> None:
    idle = own.pid or 0
    os.kill(idle, signal.SIGALRM)  # as its own timer does
    until(lambda: not alive(idle))
    assert own.read(html(OWLS), soon()).page.title == "Owls"


def test_children_of_two_readers_are_forked_from_one_template(
    own: DocumentReader, reader: DocumentReader
) -> None:
    reader.read(html(OWLS), soon())
    assert facts_of(own.pid or 0)[1] == facts_of(reader.pid or 0)[1]


def test_a_template_that_was_killed_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_process, "_templates", {})
    template = child_process.start_template(DocumentReader.program).pid
    os.kill(template, signal.SIGKILL)
    until(lambda: not alive(template))
    reader = DocumentReader()
    try:
        assert reader.read(html(OWLS), soon()).page.title == "Owls"
    finally:
        reader.close()
        child_process._templates[reader.program].close()


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[DocumentReader]:
    """A reader whose template has no other children, already warm."""
    monkeypatch.setattr(child_process, "_templates", {})
    reader = DocumentReader()
    reader.read(html(OWLS), soon())
    yield reader
    reader.close()
    child_process._templates[reader.program].close()


def test_a_template_without_children_unloads_and_loads_again(alone: DocumentReader) -> None:
    alone.close()
    template = psutil.Process(child_process.start_template(DocumentReader.program).pid)
    loaded = template.memory_info().rss
    template.send_signal(signal.SIGALRM)  # as its own timer does
    until(lambda: template.memory_info().rss < loaded / 2)
    assert alone.read(html(OWLS), soon()).page.title == "Owls"
    assert int(facts_of(alone.pid or 0)[1]) == template.pid


def test_a_template_with_a_child_stays_loaded(alone: DocumentReader) -> None:
    template, child = child_process.start_template(DocumentReader.program), alone.pid
    os.kill(template.pid, signal.SIGALRM)
    assert alone.read(html(OWLS), soon()).page.title == "Owls"
    assert alone.pid == child


def test_a_child_that_crashes_makes_the_document_unreadable(reader: DocumentReader) -> None:
    reader.read(html(OWLS), soon())
    child = reader.pid or 0
    begun = ticks_of(child) + 10

    def crash() -> None:
        until(lambda: ticks_of(child) > begun)
        os.kill(child, signal.SIGSEGV)

    crashing = threading.Thread(target=crash)
    crashing.start()
    assert refusal(reader, COSTLY, ReadingScope(), soon()) is Unreadable.UNREADABLE
    crashing.join()


def test_a_thread_does_not_wait_for_its_turn_beyond_its_deadline(own: DocumentReader) -> None:
    os.kill(own.pid or 0, signal.SIGSTOP)
    first = threading.Thread(target=refusal, args=(own, html(OWLS), ReadingScope(), soon()))
    first.start()
    until(own._turn.locked)
    with pytest.raises(ReaderNotReady):
        own.read(html(OWLS), soon(0.2))
    first.join()


def test_threads_share_one_child(reader: DocumentReader) -> None:
    def title(number: int) -> str | None:
        return reader.read(html(f"<title>{number}</title>{OWLS}"), soon()).page.title

    with ThreadPoolExecutor(8) as threads:
        titles = list(threads.map(title, range(8)))
    assert titles == [str(number) for number in range(8)]


def test_closing_ends_the_child(own: DocumentReader) -> None:
    child = own.pid or 0
    own.close()
    assert not alive(child)


STARTS_A_CHILD = """
import os, sys, time
from app.engine.sandbox.reader import DocumentReader
from app.engine.sandbox.documents import Document
reader = DocumentReader()
reader.read(Document(b"<p>Owls.</p>", "text/html", None, "https://e.org/"), time.monotonic() + 600)
if os.fork() == 0:  # as a pool forks: it has the connection, until it lets go of it
    os.write(1, f"{reader.pid}\\n".encode())  # a line is one write: two processes share the pipe
    time.sleep(600)
os.write(1, f"{reader.pid} {os.getpid()}\\n".encode())
time.sleep(600)
"""


def test_the_child_ends_with_its_parent_even_when_that_was_killed_and_had_forked() -> None:
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", STARTS_A_CHILD],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as parent:
        assert parent.stdout is not None
        try:
            lines = sorted([parent.stdout.readline().strip(), parent.stdout.readline().strip()])
            assert lines[1] == "None"  # the forked process knows of no child
            child = int(lines[0].split()[0])
            parent.kill()
            until(lambda: not alive(child))
        finally:
            os.killpg(parent.pid, signal.SIGKILL)


def ticks_of(pid: int) -> int:
    """Hundredths of a second of CPU that it has used."""
    return int(facts_of(pid)[11])


def facts_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
