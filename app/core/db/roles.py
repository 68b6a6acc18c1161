"""The roles that connections of the service take: they may use the tables and own none.

Row security does not hold back a superuser, a role with BYPASSRLS or, unless forced, the owner of a
table. So the service works as none of them, whatever it signs in as. The API and the workers have a
role each, with the rights that `app/migrations/rights.toml` states; operators' commands, and
installations that have not made these two, work as DATABASE_ROLE, which may do what both may.
"""

from typing import Any, Final

import psycopg
from psycopg import Connection

from app.core.config.settings import DATABASE_ROLE, BadConfiguration

Names = tuple[str, ...]
"""Roles by preference: a connection takes the first of them that its login may take."""

DEFAULT: Final[Names] = (DATABASE_ROLE,)

# From Postgres 16 on a role may be a member of another without the right to take it.
_FACTS = """
with wanted as (
    select name, role.oid, rolsuper, rolbypassrls, place,
        coalesce(pg_has_role(session_user, role.oid, case
            when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER'
        end), false) as may_take
    from unnest(%(names)s::text[]) with ordinality wanted (name, place)
    left join pg_roles role on role.rolname = name
)
select name, session_user, oid is not null, may_take, rolsuper, rolbypassrls,
    exists (
        select from pg_class
        where relnamespace = to_regnamespace(current_schema()) and relkind in ('r', 'p')
          and pg_has_role(wanted.oid, relowner, 'USAGE')
    ),
    case when may_take and %(take)s then set_config('role', name, false) end
from (select * from wanted order by not may_take, place limit 1) wanted
"""


class UnsafeRole(BadConfiguration):
    """The service would work with a role that row security does not hold back, or has none."""


def operators(role: str) -> Names:
    """The roles of operators' commands; `role` is DATABASE_ROLE."""
    return (role,)


def api(role: str) -> Names:
    """The roles of what answers HTTP; `role` is DATABASE_ROLE."""
    return (sibling(role, "api"), role)


def workers(role: str) -> Names:
    """The roles of workers and dispatchers; `role` is DATABASE_ROLE."""
    return (sibling(role, "worker"), role)


def either(role: str) -> Names:
    """The roles that both have; `role` is DATABASE_ROLE."""
    return (*api(role)[:1], *workers(role))


def sibling(role: str, part: str) -> str:
    """The role of a part of the installation whose DATABASE_ROLE is `role`."""
    return f"{role.removesuffix('_app')}_{part}"


def require(connection: Connection[Any], names: Names) -> str:
    """The one of `names` that connections take, which is harmless. Raises UnsafeRole."""
    name, problem = _look(connection, names, take=False)
    if problem:
        raise UnsafeRole(f"Database: {problem}")
    return name


def take(connection: Connection[Any], names: Names, *, stay: bool = True) -> str:
    """Work as the first of `names` that may be taken, which is returned.

    Without `stay` it is only found out. Raises psycopg.OperationalError where there is none, or it
    is not harmless.
    """
    name, problem = _look(connection, names, take=stay)
    if problem:
        raise psycopg.OperationalError(problem)
    return name


def _look(connection: Connection[Any], names: Names, *, take: bool) -> tuple[str, str | None]:
    """The role, and what is wrong with working as it."""
    facts = connection.execute(_FACTS, {"names": list(names), "take": take}).fetchall()
    name, login, exists, may_take, superuser, bypasses, owns, _ = facts[0]
    return name, _problem(names[-1], name, login, exists, may_take, superuser, bypasses, owns)


def _problem(
    base: str,
    role: str,
    login: str,
    exists: bool,
    may_take: bool,
    superuser: bool,
    bypasses: bool,
    owns: bool,
) -> str | None:
    if not exists:
        return f"the role {base} is missing: run `citegrid-server migrate`."
    if not may_take:
        return f"{login} may not take the role {role}: run `grant {role} to {login}` as its owner."
    if superuser or bypasses:
        power = "is a superuser" if superuser else "has BYPASSRLS"
        return f"the role {role} {power}, so row security would not hold: name another."
    if owns:
        return (
            f"the role {role} owns tables of the service or is a member of their owner, so it could"
            " change what they protect: name another in DATABASE_ROLE."
        )
    return None
