"""OpenSearch's published API specification, as far as requests and answers are held against it.

It is OpenAPI 3.1 in files that refer to one another, whose schemas are JSON Schema 2020-12. They
are open: an object may have members nobody knows. Here those of a request may not.
"""

import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.opensearch import Exchange

ARCHIVE = Path(__file__).parents[2] / "shared" / "data" / "opensearch-spec.tar.xz"
ROOT = "https://specification.invalid/"


class Specification:
    """`problems` says what an exchange does that the specification does not know."""

    def __init__(self, archive: Path) -> None:
        with tarfile.open(archive) as tar:
            self._texts = {
                ROOT + member.name.removeprefix("./").removeprefix("spec/"): file.read()
                for member in tar.getmembers()
                if (file := tar.extractfile(member)) and member.name.endswith(".yaml")
            }
        self._registry: Registry[Any] = Registry(retrieve=cache(self._parsed))
        self._paths = [
            (path, item, uri)
            for uri in (f"{ROOT}namespaces/_core.yaml", f"{ROOT}namespaces/indices.yaml")
            for path, item in self._registry.get_or_retrieve(uri).value.contents["paths"].items()
        ]

    def _parsed(self, uri: str) -> Resource[Any]:
        parsed = yaml.load(self._texts[uri], Loader=yaml.CSafeLoader)
        return Resource(contents=parsed, specification=DRAFT202012)

    def problems(self, exchange: Exchange) -> list[str]:
        """What is wrong with the request, and with the answer if it is no error."""
        operation, uri = self._operation(exchange)
        found = [*self._query(exchange, operation, uri), *self._body(exchange, operation, uri)]
        if exchange.status < 300 and exchange.method != "HEAD":
            [answer] = self._resolved(operation["responses"]["200"], uri)["content"].values()
            found += self._against(answer["schema"], uri, exchange.answer, closed=False)
        return found

    def _operation(self, exchange: Exchange) -> tuple[dict[str, Any], str]:
        """The operation whose path fits, with the most parts given literally."""
        method, parts = exchange.method.lower(), exchange.path.split("/")
        fitting = [
            (path.count("{"), item[method], uri)
            for path, item, uri in self._paths
            if method in item and _fits(path.split("/"), parts)
        ]
        assert fitting, f"no operation is {exchange.method} {exchange.path}"
        _, operation, uri = min(fitting, key=lambda one: one[0])
        return operation, uri

    def _query(self, exchange: Exchange, operation: dict[str, Any], uri: str) -> Iterator[str]:
        given = [self._resolved(x, uri) for x in operation.get("parameters", [])]
        known = {x["name"]: x["schema"] for x in given if x["in"] == "query"}
        for name, text in exchange.query.items():
            if name not in known:
                yield f"unknown parameter {name}"
                continue
            values = [text, {"true": True, "false": False}.get(text, text)]
            if all(self._against(known[name], uri, value, closed=False) for value in values):
                yield f"{name}={text}"

    def _body(self, exchange: Exchange, operation: dict[str, Any], uri: str) -> list[str]:
        if exchange.body is None:
            return []
        parts = list(_parts(exchange.path.rsplit("/", 1)[-1], exchange.body))
        found = [
            problem
            for name, part in parts
            for problem in self._against({"$ref": f"{ROOT}schemas/{name}"}, uri, part)
        ]
        content = self._resolved(operation["requestBody"], uri)["content"]
        if "application/json" in content:
            found += self._against(content["application/json"]["schema"], uri, exchange.body)
        else:
            assert parts, "its lines are held against nothing"
        return found

    def _against(
        self, schema: dict[str, Any], uri: str, value: Any, *, closed: bool = True
    ) -> list[str]:
        whole: dict[str, Any] = {"$id": uri, "allOf": [schema]}
        if closed:
            whole["unevaluatedProperties"] = False
        validator = Draft202012Validator(whole, registry=self._registry)
        errors = validator.iter_errors(value)
        return [f"{error.json_path}: {error.message[:300]}" for error in errors]

    def _resolved(self, item: dict[str, Any], uri: str) -> Any:
        while "$ref" in item:
            found = self._registry.resolver(uri).lookup(item["$ref"])
            item, uri = found.contents, uri
        return item


def _parts(action: str, body: Any) -> Iterator[tuple[str, Any]]:
    """Parts of a body and their schemas. Which line is which only its place says, and where a
    schema takes any of several open objects it takes everything."""
    if action == "_bulk":
        for line in body:
            if line.keys() & {"index", "delete"}:
                yield "_core.bulk.yaml#/components/schemas/OperationContainer", line
    elif action == "_msearch":
        for header, search in zip(body[::2], body[1::2], strict=True):
            yield "_core.msearch.yaml#/components/schemas/MultisearchHeader", header
            yield "_core.msearch.yaml#/components/schemas/MultisearchBody", search
    elif action == "_aliases":
        for line in body["actions"]:
            yield "indices.update_aliases.yaml#/components/schemas/Action", line


def _fits(pattern: list[str], parts: list[str]) -> bool:
    return len(pattern) == len(parts) and all(
        known.startswith("{") and not given.startswith("_") if "{" in known else known == given
        for known, given in zip(pattern, parts, strict=True)
    )
