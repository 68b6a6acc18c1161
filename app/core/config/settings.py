"""All settings: one frozen class, read once when a process starts, every problem reported at once.

`docs/reference/configuration.md` is printed from the fields below.
"""

import os
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Self, get_type_hints

from environs import Env, EnvValidationError

from app.core.config import values


class BadConfiguration(SystemExit):
    """The environment does not describe a runnable service; the message lists every problem."""


def setting(help: str, default: Any = MISSING, least: float | None = None) -> Any:
    """One environment variable: its meaning, its default, its lower bound (inclusive)."""
    return field(default=default, metadata={"help": help, "least": least})


DATABASE_ROLE = "citegrid_app"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settings:
    """Field `database_url` is read from `DATABASE_URL`, and so on. Units are in the names."""

    database_url: str = setting(
        "Postgres 15 or newer, as a connection URL. With several hosts (one:5432,two:5432), the"
        " service uses the one that accepts writes."
    )
    database_owner_url: str = setting(
        "Connection URL for `citegrid-server migrate`, with a role that owns the tables. "
        "Default: DATABASE_DIRECT_URL or DATABASE_URL. The service itself does not use it.",
        "",
    )
    database_direct_url: str = setting(
        "Connection URL of Postgres itself, where DATABASE_URL leads to a pooler in transaction"
        " mode (PgBouncer): for the few connections that need a session of their own.",
        "",
    )
    database_backup_url: str = setting(
        "Connection URL for `citegrid-server backup create`, with a role that bypasses row "
        "security. Default: DATABASE_OWNER_URL or DATABASE_URL.",
        "",
    )
    database_role: str = setting(
        "Role of the service on every connection, created by `migrate`. Installations that"
        " share a Postgres need different roles.",
        DATABASE_ROLE,
    )
    redis_url: str = setting(
        "Redis 6.2 or newer, or Valkey: redis://, rediss:// (TLS), or its Sentinels:"
        " sentinel://:password@host:port,host:port/name?db=0, sentinels:// (TLS). Redis never"
        " holds the only copy of anything."
    )
    secret_key: str = setting(
        "At least 32 characters. Hashes API keys and tokens: changing it revokes all of them."
    )
    secret_key_previous: str = setting(
        "The previous SECRET_KEY, still accepted during key rotation.", ""
    )
    service_base_url: str = setting(
        "Public address of the API, used in links and accepted as Host.", "http://127.0.0.1:8000"
    )
    trusted_proxies: int = setting(
        "Number of reverse proxies that set X-Forwarded-For.", 0, least=0
    )
    demo_api_key: str = setting(
        "API key accepted from this machine only, if SERVICE_BASE_URL is on it. Set by "
        "`citegrid-server up`.",
        "",
    )
    allowed_hosts: str = setting(
        "Additional accepted Host names and addresses, separated by commas. Loopback and "
        "the host of SERVICE_BASE_URL are always accepted.",
        "",
    )
    sign_up_open: bool = setting(
        "Allow anyone to create an account over HTTP. Otherwise only callers from this "
        "machine can, if SERVICE_BASE_URL is on it.",
        False,
    )
    log_level: str = setting("DEBUG, INFO, WARNING or ERROR.", "INFO")
    tracing_url: str = setting(
        "Address of a collector of traces (OTLP over HTTP), as http://127.0.0.1:4318/v1/traces;"
        " needs the extra `tracing`.",
        "",
    )
    metrics_port: int = setting(
        "Port on which a process serves its host's metrics; 0: only the API does, at /metrics.",
        0,
        least=0,
    )
    metrics_host: str = setting(
        "Listening address of METRICS_PORT. Metrics are readable without a credential.", "127.0.0.1"
    )
    metrics_targets: str = setting(
        "Folder in which each process writes the address where Prometheus finds it; the processes "
        "that do not serve METRICS_PORT take any free port.",
        "",
    )

    database_pool_size: int = setting("Connections a process may hold.", 10, least=2)
    database_pool_wait_seconds: float = setting(
        "Time a request waits for a connection before 503.", 1.0, least=0.05
    )
    web_statement_timeout_seconds: float = setting("Longest statement of the API.", 2.0, least=0.1)
    worker_statement_timeout_seconds: float = setting(
        "Longest statement of a worker.", 30.0, least=1
    )

    rate_limit_write: str = setting(
        "Requests that create or change something, per credential.", "300/minute"
    )
    rate_limit_read: str = setting("Requests that read or poll, per credential.", "1800/minute")
    rate_limit_node: str = setting("Requests with a node token, per node.", "12000/minute")
    rate_limit_anonymous: str = setting("Requests without a credential, per address.", "240/minute")
    queue_limit: int = setting(
        "Waiting jobs of one queue beyond which new ones get 503. An account may have as many"
        " waiting as there is room left.",
        20_000,
        least=1,
    )
    account_queue_limit: int = setting(
        "Waiting jobs of one account beyond which new ones get 429.", 5_000, least=1
    )
    waiting_requests: int = setting(
        "Long polls and event streams one web process serves at once.", 12, least=1
    )
    waiting_requests_per_account: int = setting(
        "Long polls and event streams of one account.", 4, least=1
    )
    waiting_requests_per_address: int = setting(
        "Long polls and event streams from one address (IPv6: one /64).", 8, least=1
    )
    password_requests: int = setting(
        "Sign-ups, sign-ins and changes of passwords one web process works on at once.", 4, least=1
    )
    export_slots: int = setting(
        "Exports of records one web process serves at once; each holds a thread while it is read.",
        4,
        least=1,
    )
    web_worker: str = setting(
        "Worker class: `patient`, which slow clients cannot block, or gunicorn's own `gthread`,"
        " for an API behind a proxy that buffers requests and answers.",
        "patient",
    )
    web_threads: int = setting(
        "Requests one web process works on at once; 4 more than WAITING_REQUESTS,"
        " PASSWORD_REQUESTS, EXPORT_SLOTS, CLAIM_SLOTS and CHAT_SLOTS together, or it does not"
        " start.",
        192,
        least=8,
    )

    queue_target_seconds: float = setting(
        "Target waiting time. A queue is `growing` if its oldest job waits longer and more"
        " jobs wait than five minutes ago.",
        60.0,
        least=1,
    )
    dispatch_depth: int = setting(
        "The most jobs of one queue in Redis; fewer while workers are slow.", 64, least=1
    )
    dispatch_lost_seconds: float = setting(
        "Time after which a message that no worker took and Redis no longer has counts as lost.",
        30.0,
        least=0.5,
    )
    job_lease_seconds: float = setting(
        "Time without a sign of a worker after which it is considered dead.", 30.0, least=0.5
    )
    start_seconds: float = setting(
        "Time without progress after which `citegrid-server up` stops waiting for its processes."
        " While they compute, or wait for a processor, it waits.",
        120.0,
        least=1,
    )
    worker_grace_seconds: float = setting(
        "Time a stopping worker has to finish its jobs before it gives them back.", 20.0, least=0
    )
    search_deadline_seconds: float = setting("Deadline of a search.", 120.0, least=1)
    retention_days: float = setting(
        "Days to keep searches, and finished jobs, with their provenance.", 30.0, least=0.01
    )
    audit_kept_days: float = setting(
        "Days to keep the audit log of account owners and operators.", 365, least=30
    )
    requests_kept_days: float = setting(
        "Days to keep requests, without bodies, for lookups by id; 0 keeps none.", 7.0, least=0
    )
    account_export_kept_days: float = setting(
        "Days for which an account's export can be downloaded.", 7.0, least=0.01
    )
    corpora_documents: int = setting(
        "Documents that an account may upload to its corpora.", 10_000, least=0
    )
    corpora_bytes: int = setting(
        "Bytes of the documents that an account may upload to its corpora.", 1 << 30, least=0
    )
    corpora_passages: int = setting(
        "Passages of all documents in the corpora of an account.", 500_000, least=0
    )
    corpora_uploads_per_hour: int = setting(
        "Documents that an account may upload, or have fetched, in an hour.", 20_000, least=0
    )
    account_deletion_grace_days: float = setting(
        "Grace period in which signing in keeps a deleted account, before it is erased.",
        14.0,
        least=0,
    )
    hsts: str = setting(
        "Strict-Transport-Security header, sent if SERVICE_BASE_URL is https; empty: none.",
        "max-age=31536000; includeSubDomains",
    )
    security_contact: str = setting(
        "Where to report a vulnerability of this installation, in /.well-known/security.txt: an"
        " address with https:, mailto: or tel:; several are separated by commas. Without one there"
        " is no such file.",
        "",
    )
    security_policy_url: str = setting(
        "Address (https) of your policy for such reports, for /.well-known/security.txt.", ""
    )
    review_alone_seconds: float = setting(
        "How long a record waits for a vote if no voter is active, or for another one if all "
        "active voters have voted. In the first case, built-in checks then decide alone.",
        600.0,
        least=0,
    )
    review_open_seconds: float = setting(
        "Time to wait for more votes on a record after the first one.", 21_600.0, least=0
    )
    gold_after_seconds: float = setting(
        "Age of a decision from which its record may test voters.", 259_200.0, least=0
    )
    extraction_product_segment: str = setting(
        "Path segment of page jobs: /v1/EXTRACTION_PRODUCT_SEGMENT/jobs.", "extract"
    )

    rewards_pending_hours: float = setting(
        "Hours after acceptance in which a record can be disputed and its reward is pending.",
        72.0,
        least=0,
    )
    nodes_admission: str = setting(
        "`approval`: a new node gets work once the operator approves it; `open`: at once.",
        "approval",
    )
    claim_slots: int = setting(
        "Node requests for work that one web process keeps waiting at once; it answers further ones"
        " immediately.",
        96,
        least=1,
    )
    chat_slots: int = setting("Chats that one web process serves at once.", 48, least=1)

    campaign_node_patience_seconds: float = setting(
        "Time without a heartbeat of a suitable node after which the built-in extraction "
        "does the work of a campaign.",
        600.0,
        least=0,
    )

    onchain_price: str = setting(
        "Price of a paid search in units of the asset, such as 0.01. Empty: nothing is sold.", ""
    )
    onchain_networks: str = setting(
        "Networks that accept payments, as JSON (a secret, for its RPC URLs): "
        '{"eip155:8453": {"rpc_url": "https://...", "asset": "0x...", "pay_to": "0x..."}}. '
        "Without a price they settle the payments that were made before.",
        "",
    )
    onchain_gas_key: str = setting(
        "Private key of the wallet that sends settlements and pays gas; never that of pay_to.", ""
    )
    onchain_facilitator_url: str = setting(
        "An x402 facilitator that settles payments instead of the server's own wallet.", ""
    )
    onchain_settle_seconds: float = setting(
        "Time a paid request waits for its settlement before it answers `pending`.", 20.0, least=0
    )

    credit_token: str = setting(
        "Token of credit and chat prices. One unit of the paid asset buys one unit of credit.",
        "USD",
    )

    chat_first_token_seconds: float = setting(
        "Time a chat waits for its first token; keep it below the timeout of proxies in front.",
        50.0,
        least=1,
    )
    chat_fee_percent: float = setting(
        "The operator's share of the price of a chat, in percent.", 0.0, least=0
    )

    fetch_allow: str = setting(
        "Private hosts the crawler may reach: host, host:port, CIDR or CIDR:port, separated"
        " by commas. An entry without a port opens only ports 80 and 443.",
        "",
    )
    fetch_contact: str = setting(
        "An address or page for site owners, sent in the User-Agent.", "operator not stated"
    )
    webhook_allow: str = setting(
        "Private hosts that webhooks may be sent to, without https too; as FETCH_ALLOW, which is"
        " not used for them.",
        "",
    )
    smtp_url: str = setting(
        "Mail server for alerts by e-mail, as smtp+starttls://user:password@host:port (a secret,"
        " for its password); smtps:// begins with TLS, smtp:// has none. Empty: no e-mail is sent.",
        "",
    )
    mail_from: str = setting(
        "Sender of e-mail, as alerts@example.org or Citegrid <alerts@example.org>.", ""
    )
    egress_proxy: str = setting(
        "host:port of an HTTP proxy through which pages are fetched and webhooks sent, by CONNECT"
        " to addresses that were checked before; empty: directly.",
        "",
    )
    fetch_gap_seconds: float = setting("Pause between two requests to one host.", 1.0, least=0)

    extract_fetch_allow: str = setting(
        "Private hosts whose pages jobs of any account may read; as FETCH_ALLOW, which is not used"
        " for them.",
        "",
    )

    confinement_required: bool = setting(
        "Require full sandboxing for untrusted documents, without access to files, the "
        "network and other processes. Workers do not start without it.",
        False,
    )

    render_browser: str = setting(
        "A Chromium for pages that need JavaScript, as /usr/bin/chromium; with the extra `render`."
        " Empty: such pages end as needs_rendering.",
        "",
    )

    searxng_url: str = setting("A SearXNG instance that offers JSON; empty: none.", "")
    searxng_per_second: float = setting("Queries per second to SEARXNG_URL.", 2.0, least=0.01)
    brave_api_key: str = setting("Key of a Brave Search API subscription; empty: none.", "")
    brave_url: str = setting("Address of the Brave Search API.", "https://api.search.brave.com")
    brave_per_second: float = setting(
        "Queries per second to BRAVE_URL, as subscribed.", 1.0, least=0.01
    )
    web_engine_seconds: float = setting("Time a search waits for engines.", 6.0, least=0.1)
    web_page_seconds: float = setting("Time a search waits for pages.", 8.0, least=0.1)
    web_page_fresh_seconds: float = setting(
        "Time for which a page that was read is used again without a new request.", 3600.0, least=0
    )
    web_fetch_allow: str = setting(
        "Private hosts that results of engines may be read from; as FETCH_ALLOW, which is not"
        " used for them.",
        "",
    )

    index_url: str = setting(
        "Base URL of an OpenSearch that finds the candidates of searches instead of Postgres;"
        " needs the extra `opensearch` and `citegrid-server index rebuild --remote`.",
        "",
    )
    index_username: str = setting("Sent to INDEX_URL with INDEX_PASSWORD.", "")
    index_password: str = setting("Sent to INDEX_URL with INDEX_USERNAME.", "")
    index_ca_file: str = setting(
        "Certificates (PEM) that INDEX_URL is checked against instead of the system's.", ""
    )
    index_prefix: str = setting(
        "Prefix of its index names. Installations that share a server need different ones.",
        "citegrid-",
    )
    index_timeout_seconds: float = setting(
        "Time a search waits for INDEX_URL before Postgres answers.", 2.0, least=0.05
    )
    index_lag_seconds: float = setting(
        "Delay of INDEX_URL beyond which searches warn about it.", 120.0, least=1
    )

    embeddings_url: str = setting(
        "Base URL of an OpenAI-compatible embedding service, as https://host/v1.", ""
    )
    embeddings_model: str = setting(
        "The model to request there. A new name re-embeds everything.", ""
    )
    embeddings_dimensions: int = setting("Length of its vectors.", 0, least=0)
    embeddings_api_key: str = setting("Sent to EMBEDDINGS_URL as a bearer token.", "")
    embeddings_dir: str = setting(
        "Folder of an embedding model: model.onnx with tokenizer.json or vocab.txt. Used where"
        " EMBEDDINGS_URL is empty.",
        "",
    )
    embeddings_timeout_seconds: float = setting(
        "Time a search waits for an answer of EMBEDDINGS_URL.", 2.0, least=0.05
    )
    embeddings_search_seconds: float = setting(
        "Time a search may spend on embedding passages that have no vector yet.", 0.5, least=0
    )
    embeddings_packaged: bool = setting(
        "Use the packaged models if they are installed and EMBEDDINGS_URL and"
        " EMBEDDINGS_DIR are empty.",
        True,
    )

    rerank_url: str = setting(
        "Base URL of a service whose /rerank orders the best passages, as https://host/v1.", ""
    )
    rerank_model: str = setting(
        "The model to request there, as Jina and Cohere want it; empty for Text Embeddings"
        " Inference, which serves one.",
        "",
    )
    rerank_api_key: str = setting("Sent to RERANK_URL as a bearer token.", "")
    rerank_dir: str = setting(
        "Folder of a cross-encoder: model.onnx with tokenizer.json or vocab.txt. Used where"
        " RERANK_URL is empty.",
        "",
    )
    rerank_timeout_seconds: float = setting(
        "Time a search waits for the reranker.", 2.0, least=0.05
    )
    rerank_candidates: int = setting("Number of passages to rerank.", 30, least=2)

    model_url: str = setting(
        "Base URL of an OpenAI-compatible chat model, as https://host/v1, that writes answers and"
        " helps to read records; empty: answers are extracts, and rules read records.",
        "",
    )
    model_name: str = setting("The model to request there.", "")
    model_api_key: str = setting("Sent to MODEL_URL as a bearer token.", "")
    model_seconds: float = setting(
        "Time a search waits for MODEL_URL, all calls together.", 30.0, least=0.1
    )
    model_max_input_tokens: int = setting(
        "Approximate token limit of a call; the least relevant passages are left out.",
        6000,
        least=800,
    )
    model_max_output_tokens: int = setting("Token limit of a reply.", 1500, least=50)
    model_input_price: float = setting(
        "Price of a million tokens sent to MODEL_URL, in your currency, for the `stats` of jobs.",
        0.0,
        least=0,
    )
    model_output_price: float = setting(
        "Price of a million tokens of its replies; if both are 0, `stats` name no cost.",
        0.0,
        least=0,
    )
    model_entailment: bool = setting(
        "Ask the model in a second call whether its quotes support its sentences.", False
    )

    @property
    def session_url(self) -> str:
        return self.database_direct_url or self.database_url

    @property
    def owner_url(self) -> str:
        """The address for what the owner of the tables does."""
        return self.database_owner_url or self.session_url

    @property
    def secret_keys(self) -> tuple[str, ...]:
        """The newest first: it makes; each of them is accepted."""
        return tuple(filter(None, (self.secret_key, self.secret_key_previous)))

    @classmethod
    def from_env(cls) -> Self:
        """Read the environment. Raises BadConfiguration naming every problem."""
        env, types = Env(eager=False), get_type_hints(cls)
        read: dict[str, Any] = {}
        problems: list[str] = []
        for spec in fields(cls):
            name = spec.name.upper()
            parse = getattr(env, types[spec.name].__name__)
            read[spec.name] = parse(name) if spec.default is MISSING else parse(name, spec.default)
        try:
            env.seal()
        except EnvValidationError as error:
            # Only what is wrong, never the value: it may be a password.
            problems += [f"{name}: {message}" for name, message in _messages(error)]
        else:
            problems += values.problems(fields(cls), read)
        if problems:
            raise BadConfiguration("Configuration: " + "; ".join(sorted(problems)))
        return cls(**read)


def _messages(error: EnvValidationError) -> list[tuple[str, str]]:
    raw_messages = error.error_messages
    if isinstance(raw_messages, Mapping):
        return [(name, messages[0]) for name, messages in raw_messages.items()]
    return [("", message) for message in raw_messages]


def environment() -> dict[str, str]:
    return dict(os.environ)


def replace(variables: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(variables)


def provide(variables: Mapping[str, str]) -> None:
    """Set variables for this process and those it starts; what is already set wins."""
    for name, value in variables.items():
        if not os.environ.get(name):
            os.environ[name] = value
