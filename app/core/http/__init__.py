"""Parts of every HTTP answer: errors, access, limits, parsing, paging, idempotency."""

from app.core.http.access import ApiKeyScope as ApiKeyScope
from app.core.http.access import Caller as Caller
from app.core.http.access import account_only as account_only
from app.core.http.access import caller as caller
from app.core.http.access import caller_or_none as caller_or_none
from app.core.http.access import node_only as node_only
from app.core.http.access import operator_account as operator_account
from app.core.http.access import public as public
from app.core.http.access import raises as raises
from app.core.http.access import require_scope as require_scope
from app.core.http.access import scoped as scoped
from app.core.http.api import Api as Api
from app.core.http.request_parser import Blueprint as Blueprint
from app.core.http.server_settings import current_settings as current_settings
