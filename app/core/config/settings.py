"""All settings: one frozen class, read once when a process starts, every problem reported at once.

`docs/reference/configuration.md` is printed from the fields below.
"""

import os
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Self, get_type_hints

from environs import Env, EnvValidationError

from app.core.config import values as setting_values


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
        "Postgres 15 or newer, as a connection URL. Of several hosts (one:5432,two:5432) the one"
        " that can be written to is used."
    )
    database_owner_url: str = setting(
        "What `citegrid-server migrate` connects with, if not DATABASE_URL: a role that owns the"
        " tables. The service itself does not use it.",
        "",
    )
    database_backup_url: str = setting(
        "What `citegrid-server backup` reads with, if not DATABASE_OWNER_URL or DATABASE_URL: a"
        " role that row security hides nothing from.",
        "",
    )
    database_role: str = setting(
        "The role that the service takes on every connection; `migrate` makes it. Installations"
        " that share a Postgres need one each.",
        DATABASE_ROLE,
    )
    redis_url: str = setting(
        "Redis 6.2 or newer, or Valkey: redis://, rediss:// (TLS), or its Sentinels:"
        " sentinel://:password@host:port,host:port/name?db=0, sentinels:// (TLS). Nothing in it is"
        " the only copy."
    )
    secret_key: str = setting(
        "At least 32 characters. Hashes API keys and tokens: changing it revokes all of them."
    )
    secret_key_previous: str = setting(
        "The former SECRET_KEY, still accepted for verification while keys are rotated.", ""
    )
    service_base_url: str = setting(
        "Public address of the API: its links begin with it, its host may be sent as Host.",
        "http://127.0.0.1:8000",
    )
    trusted_proxies: int = setting(
        "How many reverse proxies in front set X-Forwarded-For.", 0, least=0
    )
    demo_api_key: str = setting(
        "A key accepted from this machine only, while SERVICE_BASE_URL is on it. Set by"
        " `citegrid-server up`.",
        "",
    )
    allowed_hosts: str = setting(
        "Names and addresses that callers may send as Host, with commas, beside those of loopback"
        " and the host of SERVICE_BASE_URL.",
        "",
    )
    sign_up_open: bool = setting(
        "Whether anybody may create an account over HTTP; else only who calls from this machine,"
        " while SERVICE_BASE_URL is on it.",
        False,
    )
    log_level: str = setting("DEBUG, INFO, WARNING or ERROR.", "INFO")
    metrics_port: int = setting(
        "Port on which a process serves the metrics of its host; 0: only /metrics of the API does.",
        0,
        least=0,
    )
    metrics_host: str = setting(
        "Address that METRICS_PORT is on. Whoever reaches it reads them.", "127.0.0.1"
    )

    database_pool_size: int = setting("Connections a process may hold.", 10, least=2)
    database_pool_wait_seconds: float = setting(
        "How long a request waits for a connection before 503.", 1.0, least=0.05
    )
    web_statement_timeout_seconds: float = setting("Longest statement of the API.", 2.0, least=0.1)
    worker_statement_timeout_seconds: float = setting(
        "Longest statement of a worker.", 30.0, least=1
    )

    rate_limit_write: str = setting("Creating and changing calls, per credential.", "300/minute")
    rate_limit_read: str = setting("Reading and polling calls, per credential.", "1800/minute")
    rate_limit_node: str = setting("Calls with the token of a node, each.", "12000/minute")
    rate_limit_anonymous: str = setting("Calls without a credential, per address.", "240/minute")
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
        "How many of them may be of one account.", 4, least=1
    )
    waiting_requests_per_address: int = setting(
        "How many of them may come from one address (IPv6: one /64).", 8, least=1
    )
    password_requests: int = setting(
        "Sign-ups, sign-ins and changes of passwords one web process works on at once.", 4, least=1
    )
    export_slots: int = setting(
        "Exports of records one web process serves at once; each holds a thread while it is read.",
        4,
        least=1,
    )
    web_threads: int = setting(
        "Requests one web process works on at once; 4 more than WAITING_REQUESTS,"
        " PASSWORD_REQUESTS, EXPORT_SLOTS, CLAIM_SLOTS and CHAT_SLOTS together, or it does not"
        " start.",
        192,
        least=8,
    )

    queue_target_seconds: float = setting(
        "Work should begin within so long. A queue whose oldest job waits longer, and in which more"
        " waits than five minutes ago, is `growing`.",
        60.0,
        least=1,
    )
    dispatch_depth: int = setting(
        "The most jobs of one queue in Redis; fewer while workers are slow.",
        64,
        least=1,
    )
    dispatch_lost_seconds: float = setting(
        "A message not picked up for so long, and not in Redis any more, counts as lost.",
        30.0,
        least=0.5,
    )
    job_lease_seconds: float = setting(
        "A worker silent for so long is considered dead.", 30.0, least=0.5
    )
    worker_grace_seconds: float = setting(
        "How long a stopping worker may finish its jobs before it gives them back.", 20.0, least=0
    )
    search_deadline_seconds: float = setting("Every search ends by then.", 120.0, least=1)
    retention_days: float = setting(
        "How long searches, and jobs after their end, are kept with their provenance.", 30.0
    )
    audit_kept_days: float = setting(
        "For how many days it is kept who did what: what owners did in their accounts, and what"
        " operators did.",
        365,
        least=30,
    )
    requests_kept_days: float = setting(
        "How long requests can be looked up by their id, without bodies; 0 keeps none.",
        7.0,
        least=0,
    )
    account_export_kept_days: float = setting(
        "How long the export of an account can be downloaded.", 7.0, least=0.01
    )
    account_deletion_grace_days: float = setting(
        "How long an account that is deleted can be kept by signing in; then it is erased.",
        14.0,
        least=0,
    )
    hsts: str = setting(
        "Strict-Transport-Security of every answer, where SERVICE_BASE_URL is https; empty: none.",
        "max-age=31536000; includeSubDomains",
    )
    security_contact: str = setting(
        "Where to report a vulnerability of this installation, in /.well-known/security.txt: an"
        " address with https:, mailto: or tel:; several are separated by commas. Without one there"
        " is no such file.",
        "",
    )
    security_policy_url: str = setting(
        "Page that says how reports are handled, https, named in /.well-known/security.txt.", ""
    )
    review_alone_seconds: float = setting(
        "How long a record waits for a vote while nobody is there who could cast one; then our "
        "own checks decide alone.",
        600.0,
        least=0,
    )
    review_open_seconds: float = setting(
        "How long votes on a record are waited for, from the first one on.", 21_600.0, least=0
    )
    gold_after_seconds: float = setting(
        "How old a decision has to be before voters are tested with its record.", 259_200.0, least=0
    )
    extraction_product_segment: str = setting(
        "Where jobs are: /v1/EXTRACTION_PRODUCT_SEGMENT/jobs.", "extract"
    )

    rewards_pending_hours: float = setting(
        "How long a reward is pending, and a record can be disputed, after it was accepted.",
        72.0,
        least=0,
    )
    nodes_admission: str = setting(
        "`approval`: a new node gets work once the operator approves it; `open`: at once.",
        "approval",
    )
    claim_slots: int = setting(
        "Claims of nodes that one web process lets wait for work at once; beyond, they are answered"
        " at once.",
        96,
        least=1,
    )
    chat_slots: int = setting("Chats that one web process carries at once.", 48, least=1)

    campaign_node_patience_seconds: float = setting(
        "Campaigns wait for nodes as long as one that can do the work was heard of within so many"
        " seconds; then the built-in extraction does it.",
        600.0,
        least=0,
    )

    onchain_price: str = setting(
        "What a paid search costs, in units of the asset: 0.01. Empty takes no payments.", ""
    )
    onchain_networks: str = setting(
        "Where payments are taken, as JSON (a secret, for its RPC URLs): "
        '{"eip155:8453": {"rpc_url": "https://...", "asset": "0x...", "pay_to": "0x..."}}.',
        "",
    )
    onchain_gas_key: str = setting(
        "Private key of the wallet that sends settlements and pays gas; never that of pay_to.",
        "",
    )
    onchain_facilitator_url: str = setting(
        "An x402 facilitator that settles instead of a wallet of ours.", ""
    )
    onchain_settle_seconds: float = setting(
        "How long a paid request waits for its settlement before it answers `pending`.",
        20.0,
        least=0,
    )

    credit_token: str = setting(
        "What credit is counted in: chats are priced in it, and a unit of the paid asset buys one.",
        "USD",
    )

    chat_first_token_seconds: float = setting(
        "How long a chat waits for its first token; less than proxies in front wait for an answer.",
        50.0,
        least=1,
    )
    chat_fee_percent: float = setting(
        "What the operator keeps of the price of a chat, of 100.", 0.0, least=0
    )

    fetch_allow: str = setting(
        "Private hosts the crawler may reach: host, host:port, CIDR or CIDR:port, with commas.", ""
    )
    fetch_contact: str = setting(
        "An address or page for site owners, sent in the User-Agent.", "operator not stated"
    )
    webhook_allow: str = setting(
        "Private hosts that webhooks may be sent to, without https too; as FETCH_ALLOW, which is"
        " not used for them.",
        "",
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
        "Read documents of strangers only where the system lets the process that reads them give up"
        " files, the network and other processes; workers refuse to start elsewhere.",
        False,
    )

    render_browser: str = setting(
        "A Chromium for pages that need JavaScript, as /usr/bin/chromium; with the extra `render`."
        " Empty: such pages end as needs_rendering.",
        "",
    )

    searxng_url: str = setting("A SearXNG instance that offers JSON; empty asks none.", "")
    searxng_per_second: float = setting("Queries a second to it.", 2.0, least=0.01)
    brave_api_key: str = setting("A Brave Search API subscription; empty asks none.", "")
    brave_url: str = setting("Where the Brave Search API is.", "https://api.search.brave.com")
    brave_per_second: float = setting("Queries a second to it, as subscribed.", 1.0, least=0.01)
    web_engine_seconds: float = setting("How long a search waits for engines.", 6.0, least=0.1)
    web_page_seconds: float = setting("How long a search waits for pages.", 8.0, least=0.1)
    web_page_fresh_seconds: float = setting(
        "How long a page that was read is used again without asking its site.", 3600.0, least=0
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
        "What the names of its indexes begin with: one for each installation that shares it.",
        "citegrid-",
    )
    index_timeout_seconds: float = setting(
        "How long a search waits for INDEX_URL before Postgres answers.", 2.0, least=0.05
    )
    index_lag_seconds: float = setting(
        "How far INDEX_URL may be behind before searches warn of it.", 120.0, least=1
    )

    embeddings_url: str = setting(
        "Base URL of an OpenAI-compatible embedding service, as https://host/v1.", ""
    )
    embeddings_model: str = setting(
        "The model to request there. A new name re-embeds everything.", ""
    )
    embeddings_dimensions: int = setting("How many numbers its vectors have.", 0, least=0)
    embeddings_api_key: str = setting("Sent to EMBEDDINGS_URL as a bearer token.", "")
    embeddings_dir: str = setting(
        "Folder of an embedding model: model.onnx with tokenizer.json or vocab.txt. Used where"
        " EMBEDDINGS_URL is empty.",
        "",
    )
    embeddings_timeout_seconds: float = setting(
        "How long a search waits for an answer of EMBEDDINGS_URL.", 2.0, least=0.05
    )
    embeddings_search_seconds: float = setting(
        "How long a search may embed passages that have no vector yet.", 0.25, least=0
    )
    embeddings_packaged: bool = setting(
        "Whether the packaged model is used where it is installed and EMBEDDINGS_URL and"
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
        "How long a search waits for the reranker.", 2.0, least=0.05
    )
    rerank_candidates: int = setting("How many passages are reranked.", 30, least=2)

    model_url: str = setting(
        "Base URL of an OpenAI-compatible chat model, as https://host/v1, that writes answers and"
        " helps to read records; empty: answers are extracts, and rules read records.",
        "",
    )
    model_name: str = setting("The model to request there.", "")
    model_api_key: str = setting("Sent to MODEL_URL as a bearer token.", "")
    model_seconds: float = setting(
        "How long a search waits for MODEL_URL, all calls together.", 30.0, least=0.1
    )
    model_max_input_tokens: int = setting(
        "About how many tokens a call may have; the least relevant passages are left out.",
        6000,
        least=800,
    )
    model_max_output_tokens: int = setting("How many tokens a reply may have.", 1500, least=50)
    model_input_price: float = setting(
        "What a million tokens sent to MODEL_URL cost, in your currency, for the `stats` of jobs.",
        0.0,
        least=0,
    )
    model_output_price: float = setting(
        "What a million tokens of its replies cost; where both are 0, `stats` name no cost.",
        0.0,
        least=0,
    )
    model_entailment: bool = setting(
        "Whether the model is asked again if its quotes say what its sentences say.", False
    )

    @property
    def secret_keys(self) -> tuple[str, ...]:
        """The newest first: it makes; each of them is accepted."""
        return tuple(filter(None, (self.secret_key, self.secret_key_previous)))

    @classmethod
    def from_env(cls) -> Self:
        """Read the environment. Raises BadConfiguration naming every problem."""
        env, types = Env(eager=False), get_type_hints(cls)
        values: dict[str, Any] = {}
        problems: list[str] = []
        for spec in fields(cls):
            name = spec.name.upper()
            parse = getattr(env, types[spec.name].__name__)
            values[spec.name] = (
                parse(name) if spec.default is MISSING else parse(name, spec.default)
            )
        try:
            env.seal()
        except EnvValidationError as error:
            # Only what is wrong, never the value: it may be a password.
            problems += [f"{name}: {message}" for name, message in _messages(error)]
        else:
            problems += setting_values.problems(fields(cls), values)
        if problems:
            raise BadConfiguration("Configuration: " + "; ".join(sorted(problems)))
        return cls(**values)


def _messages(error: EnvValidationError) -> list[tuple[str, str]]:
    raw_messages = error.error_messages
    if isinstance(raw_messages, Mapping):
        return [(name, messages[0]) for name, messages in raw_messages.items()]
    return [("", message) for message in raw_messages]


def environment() -> dict[str, str]:
    """A copy of the environment, to start child processes with."""
    return dict(os.environ)


def provide(values: Mapping[str, str]) -> None:
    """Set variables for this process and those it starts; what is already set wins."""
    for name, value in values.items():
        if not os.environ.get(name):
            os.environ[name] = value
