"""The database's facts on the sources of an answer: lists, links, and how rare words are."""

from app.core import db
from app.domains.library.corpora.service import linking_domains
from app.domains.library.passages.index.generation_store import namespace_of
from app.domains.library.sources import service as sources
from app.domains.search.searches.source_quality import SourceFacts
from app.engine.answer.evidence import Answer
from app.engine.pages.site.registrable import domain_of_url
from app.engine.search.interface import IndexStats
from app.engine.search.score_scale import summed
from app.engine.text import analysis
from workers.searches.candidates import Candidates
from workers.searches.indexes import RETRIEVER


def source_facts(candidates: Candidates, answered: Answer) -> SourceFacts:
    """Read it in a few short queries; none without sources."""
    urls = [snapshot.url for snapshot in candidates.snapshots.values()]
    domains = {domain for url in urls if (domain := domain_of_url(url))}
    with db.reading() as reader:
        verdicts = sources.verdicts(reader, domains)
        linking = linking_domains(reader, domains)
    return SourceFacts(
        verdicts=verdicts,
        linking=linking,
        returning=candidates.returning,
        engines_asked=candidates.engines_asked,
        stats=_stats(candidates, answered),
    )


def _stats(candidates: Candidates, answered: Answer) -> IndexStats:
    """Document frequencies of every term of what answers, those of the search included."""
    languages = [snapshot.language for snapshot in candidates.snapshots.values()]
    terms = {
        term
        for citation in answered.citations
        for term in analysis.terms(citation.lead, languages[citation.source])
    }
    unknown = terms - candidates.stats.df.keys()
    if not unknown:
        return candidates.stats
    asked = [namespace_of(account_id) for account_id in candidates.asked]
    more = summed([RETRIEVER.stats(ns, sorted(unknown)) for ns in asked]).df
    return IndexStats(candidates.stats.n, candidates.stats.avgdl, {**more, **candidates.stats.df})
