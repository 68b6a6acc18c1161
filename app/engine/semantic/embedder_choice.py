"""The choice of a process's embedder: the operator's, else the packaged model."""

from dataclasses import dataclass
from pathlib import Path

from app.core import log
from app.core.breaker import FAIR_SHARE
from app.core.config.settings import Settings
from app.engine.semantic.e5.model import e5, installed
from app.engine.semantic.embedder import Embedder
from app.engine.semantic.endpoint import Endpoint
from app.engine.semantic.onnx_embedder import OnnxEmbedder
from app.engine.semantic.onnx_session import ModelUnusable

logger = log.get(__name__)


@dataclass(frozen=True, slots=True)
class Choice:
    """`embedder` None: search goes by words alone. `why` says in a clause what was chosen."""

    embedder: Embedder | None
    why: str
    broken: bool = False


def choose(settings: Settings) -> Choice:
    """Read once per process: loading the packaged model takes some tenths of a second."""
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
            return Choice(None, "EMBEDDINGS_URL is not the base URL of a service", broken=True)
        return Choice(endpoint, f"embeddings from {endpoint.name}")
    if settings.embeddings_dir:
        return _from_folder(Path(settings.embeddings_dir))
    if not settings.embeddings_packaged:
        return Choice(None, "no embeddings: search goes by words alone")
    return _packaged()


def _from_folder(folder: Path) -> Choice:
    try:
        model = OnnxEmbedder.from_folder(folder)
    except (ModelUnusable, OSError) as error:
        why = f"the model of EMBEDDINGS_DIR cannot be used: {error}"
        logger.warning("embedding model refused", why=why)
        return Choice(None, why, broken=True)
    return Choice(model, f"embeddings from {model.name} in {folder}")


def _packaged() -> Choice:
    folder = installed()
    if folder is None:
        why = "the packaged model is not installed: search goes by words alone"
        return Choice(None, why)
    try:
        model = e5(folder)
    except (ModelUnusable, OSError) as error:
        logger.warning("packaged model refused", why=str(error))
        return Choice(None, str(error), broken=True)
    return Choice(model, f"embeddings from the packaged {model.name}")
