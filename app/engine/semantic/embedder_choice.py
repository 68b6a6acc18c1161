"""The choice of a process's embedders: the operator's, else the packaged ones."""

from dataclasses import dataclass
from pathlib import Path

from app.core import log
from app.core.breaker import FAIR_SHARE
from app.core.config.settings import Settings
from app.engine.semantic.embedder import Embedder
from app.engine.semantic.endpoint import Endpoint
from app.engine.semantic.onnx_embedder import OnnxEmbedder
from app.engine.semantic.onnx_session import ModelUnusable
from app.engine.semantic.packaged import models as packaged_models

logger = log.get(__name__)


@dataclass(frozen=True, slots=True)
class Choice:
    """`embedders` are for different languages; none: search goes by words alone. `why` says in a
    clause what was chosen.
    """

    embedders: tuple[Embedder, ...]
    why: str
    broken: bool = False


def choose(settings: Settings) -> Choice:
    """Read once per process: loading the packaged models takes some tenths of a second."""
    if settings.embeddings_url:
        try:
            endpoint = Endpoint(
                settings.embeddings_url,
                settings.embeddings_model,
                settings.embeddings_dimensions,
                settings.embeddings_api_key,
                FAIR_SHARE * settings.embeddings_timeout_seconds,
            )
        except ValueError:
            return Choice((), "EMBEDDINGS_URL is not the base URL of a service", broken=True)
        return Choice((endpoint,), f"embeddings from {endpoint.name}")
    if settings.embeddings_dir:
        return _from_folder(Path(settings.embeddings_dir))
    if not settings.embeddings_packaged:
        return Choice((), "no embeddings: search goes by words alone")
    return _packaged()


def _from_folder(folder: Path) -> Choice:
    try:
        model = OnnxEmbedder.from_folder(folder)
    except (ModelUnusable, OSError) as error:
        why = f"the model of EMBEDDINGS_DIR cannot be used: {error}"
        logger.warning("embedding model refused", why=why)
        return Choice((), why, broken=True)
    return Choice((model,), f"embeddings from {model.name} in {folder}")


def _packaged() -> Choice:
    loads = packaged_models.installed()
    if not loads:
        return Choice((), "the packaged models are not installed: search goes by words alone")
    try:
        models = tuple(load() for load in loads)
    except (ModelUnusable, OSError) as error:
        logger.warning("packaged model refused", why=str(error))
        return Choice((), str(error), broken=True)
    names = " and ".join(model.name for model in models)
    return Choice(models, f"embeddings from the packaged {names}")
