"""What the database knows of the sources of an answer: lists, links, and how rare words are."""

from app.core import db
from app.domains.corpora import service as corpora
from app.domains.passages import service as passages
from app.domains.searches import result
from app.domains.sources import service as sources
from app.engine.answer.evidence import Answer
from app.engine.pages.registrable import domain_of_url
from app.engine.retrieval.interface import Stats
from workers.finding import ANALYZER, RETRIEVER, Found


def standing(found: Found, answered: Answer) -> result.Standing:
    """Read it in a few short queries; none without sources."""
    urls = [snapshot.url for snapshot in found.snapshots.values()]
    domains = {domain for url in urls if (domain := domain_of_url(url))}
    with db.reading() as tx:
        verdicts = sources.verdicts(tx, domains)
        linking = corpora.linking_domains(tx, domains)
    return result.Standing(
        verdicts=verdicts,
        linking=linking,
        returning=found.returning,
        asked=found.asked,
        stats=_stats(found, answered),
    )


def _stats(found: Found, answered: Answer) -> Stats:
    """Document frequencies of every term of what is cited, those of the search included."""
    languages = [snapshot.language for snapshot in found.snapshots.values()]
    terms = {
        term
        for citation in answered.citations
        for term in ANALYZER.terms(citation.quote, languages[citation.source])
    }
    unknown = terms - found.stats.df.keys()
    if not unknown:
        return found.stats
    more = RETRIEVER.stats(passages.NAMESPACE, sorted(unknown)).df
    return Stats(found.stats.n, found.stats.avgdl, {**more, **found.stats.df})
