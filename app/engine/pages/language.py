"""Tell the language of a text, or say that it cannot be told."""

from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

_SAMPLE = 4_000
_SURE = 0.95
_OVERRULES_DECLARATION = 0.999
_SHORTEST_TO_GUESS = 40
_SHORTEST_TO_OVERRULE = 200


def language_of(text: str, declared: str | None = None) -> str | None:
    """The ISO 639-1 code of the language of `text`; None when unsure.

    What the page declares stands unless a long text clearly speaks another language: templates
    often leave lang="en" on pages in any language, and the detector errs on short or mixed text.
    """
    sample = text[:_SAMPLE]
    letters = sum(character.isalpha() for character in sample)
    if letters < _SHORTEST_TO_GUESS:
        return declared
    language, probability = _identifier().classify(sample)
    if declared is None:
        return str(language) if probability >= _SURE else None
    if language != declared and (
        letters < _SHORTEST_TO_OVERRULE or probability < _OVERRULES_DECLARATION
    ):
        return declared
    return str(language)


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
