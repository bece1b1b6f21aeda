"""Nothing that fits, or almost fits, the published schema makes the service fail or answer with something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import checks
from tests.web.crowd import Crowd

from entrenous.web.settings import Settings
from entrenous.web.store.database import Database

EXAMPLES, SEARCHED = 8, 300
"""Cases per operation in every run, and in a search for new ones; there are about forty operations."""


@pytest.fixture
def busy(postgres_url: str, tmp_path: Path) -> Iterator[Crowd]:
    """A service with something in it, so that some cases hit; on PostgreSQL, the stricter about what it takes."""
    database = Database(
        Settings(database=postgres_url, keys=f"sqlite:///{tmp_path}/service.keys", worker=False)
    )
    database.migrate()
    crowd = Crowd(database, database.settings)
    crowd.add("ann", "bob")
    crowd.befriend(("ann", "bob"))
    crowd.answer("ann", crowd.share("ann", "bob"))
    yield crowd
    database.close()


@pytest.mark.long
def test_no_request_makes_the_service_fail(busy: Crowd) -> None:
    schema = schemathesis.openapi.from_asgi("/v1/openapi.json", busy.app)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) >= 35
    item = busy.clients["ann"].get("/v1/items?which=mine", headers=busy.token("ann")).json()[0]["id"]
    token = busy.token("bob")
    statuses: Counter[int] = Counter()
    for operation in operations:

        @settings(
            max_examples=EXAMPLES if settings().derandomize else SEARCHED,
            deadline=None,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=_cases(operation), known=st.booleans())
        def answers(case: schemathesis.Case, known: bool) -> None:
            if known and "item" in case.path_parameters:
                case.path_parameters["item"] = item
            answer = case.call(headers=token)
            statuses[answer.status_code] += 1
            case.validate_response(
                answer,
                checks=[
                    checks.not_a_server_error,
                    checks.status_code_conformance,
                    checks.content_type_conformance,
                    checks.response_schema_conformance,
                ],
            )

        answers()
    assert {200, 404, 409, 422} <= statuses.keys(), "requests of all kinds got through"


def _cases(operation: schemathesis.APIOperation) -> st.SearchStrategy[schemathesis.Case]:
    """Return requests as the schema describes them, and such with something wrong where anything can be."""
    fitting = operation.as_strategy()
    if operation.body or operation.path_parameters or operation.query:
        return fitting | operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)
    return fitting
