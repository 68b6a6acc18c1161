"""What the embedders of tests have in common."""

from collections.abc import Sequence

from app.engine.semantic.embedder import Vectors


class ReadsQuestionsAsPassages:
    """Of an embedder that makes no difference between them."""

    def embed(self, texts: Sequence[str], *, seconds: float) -> Vectors:
        raise NotImplementedError

    def embed_question(self, question: str, *, seconds: float) -> Vectors:
        (vector,) = self.embed([question], seconds=seconds)
        return vector
