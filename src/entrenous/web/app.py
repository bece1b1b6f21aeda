"""The service, put together: pages, interface, static files, and what every request passes."""

from __future__ import annotations

import gc
import hmac
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote

from anyio import to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.telemetry import TelemetryConfig
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import entrenous
from entrenous.errors import ArgumentError, EntrenousError
from entrenous.web import api, pages
from entrenous.web.http.confirmed import ConfirmationNeeded
from entrenous.web.http.files.static_files import HashedFiles
from entrenous.web.http.metrics import Measured, path_pattern
from entrenous.web.http.problems import Problem, invalid_fields
from entrenous.web.http.security import AnswerHeaders, BodyLimit, SameOrigin, Utf8Forms, client_address
from entrenous.web.http.visits import Service, SignInNeeded, render, service, visitor
from entrenous.web.identity import tokens
from entrenous.web.identity.oidc import Provider
from entrenous.web.identity.passkeys import RelyingParty
from entrenous.web.rules.refusals import Busy, Conflict, NotFound, SignInFailed, UploadRefused
from entrenous.web.service.uploads.storing import check_place
from entrenous.web.service.worker import Worker
from entrenous.web.settings import Settings
from entrenous.web.store.blobs.objects import ObjectsAway
from entrenous.web.store.database import Database, healthy, is_away

__all__ = ["create_app"]

FORM_OVERHEAD = 1024 * 1024
"""A form may hold a little more than its file."""

THREADS = 16
"""So many pages are worked on at once in a process: fewer than the database has connections for it."""

QUIET: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
"""The framework would hand messages of errors, with what was sent, to whatever collects traces: scores among them."""

UNEXPECTED = Problem(
    500, "unexpected", "Something went wrong on our side. Look whether it was done before you try again."
)
AWAY = Problem(
    503,
    "away",
    "The database is away for a moment. Look whether it was done before you try again.",
    headers={"retry-after": "5"},
)
"""A connection that breaks while something is committed leaves open whether it was done."""

FILES_AWAY = Problem(
    503,
    "files-away",
    "The place where files are kept is away for a moment. Nothing was changed; please try again.",
    headers={"retry-after": "5"},
)
"""Bytes are put there before anything is written, and read after the access check."""

log = logging.getLogger("entrenous.web")


def create_app(settings: Settings | None = None, *, database: Database | None = None) -> FastAPI:
    """Return the service; without settings they come from the environment, for several worker processes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     app = create_app(Settings(database=f"sqlite:///{folder}/service.db"))
    >>> app.title
    'entrenous access'
    """
    settings = Settings.from_environment() if settings is None else settings
    database = Database(settings) if database is None else database
    shared = Service(settings, database, _provider(settings))
    app = FastAPI(
        title="entrenous access",
        version=entrenous.__version__,
        description="Decide together who may see a shared thing.",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        telemetry=QUIET,
    )
    app.state.service = shared
    shared.templates.globals["pages"] = pages.PAGES
    shared.templates.globals["passkeys_for"] = RelyingParty.at(settings.address)
    app.mount("/static", HashedFiles(), name="static")
    _add_probes(app)
    app.include_router(api.router)
    app.include_router(pages.router)
    _add_handlers(app)
    app.add_middleware(BodyLimit, most=settings.upload_bytes + FORM_OVERHEAD)
    app.add_middleware(Utf8Forms)
    app.add_middleware(SameOrigin, origins=[settings.address.rstrip("/")])
    app.add_middleware(Unexpected)
    app.add_middleware(AnswerHeaders, https=settings.secure)
    app.add_middleware(Measured, metrics=shared.metrics)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Bring the tables up to date and let the worker run along."""
    shared: Service = app.state.service
    shared.database.migrate()
    check_place(shared.database)
    to_thread.current_default_thread_limiter().total_tokens = THREADS
    gc.collect()
    gc.freeze()  # what is there by now stays: looking through it again and again would stop all answers for a while
    worker = Worker(shared.database) if shared.settings.worker else None
    if worker is not None:
        worker.start()
    yield
    if worker is not None:
        worker.stop()
    shared.hashing.close()
    shared.database.close()
    gc.unfreeze()


def _provider(settings: Settings) -> Provider | None:
    if not settings.oidc_issuer:
        return None
    back = f"{settings.address.rstrip('/')}/sign-in/provider/back"
    return Provider(settings.oidc_issuer, settings.oidc_client, settings.oidc_secret or None, back)


def _add_probes(app: FastAPI) -> None:
    @app.get("/health", include_in_schema=False)
    async def health() -> Response:
        """Say that the process answers."""
        return JSONResponse({"status": "up"})

    @app.get("/ready", include_in_schema=False)
    def ready(request: Request) -> Response:
        """Say whether the database answers and has the tables of this version."""
        try:
            with service(request).database.reading() as session:
                is_ready = healthy(session)
        except Exception:  # noqa: BLE001 - whatever is wrong with the database, the answer is: not ready
            is_ready = False
        return JSONResponse({"status": "ready" if is_ready else "not ready"}, 200 if is_ready else 503)

    @app.get("/metrics", include_in_schema=False)
    def metrics(request: Request) -> Response:
        """Hand out figures for Prometheus; whoever sees them move sees when somebody does something."""
        if not _may_measure(request):
            raise NotFound
        return service(request).metrics.page()


def _may_measure(request: Request) -> bool:
    """Return whether a request comes with the token for figures or, where none is set, from this machine."""
    expected = service(request).settings.metrics_token
    if expected:
        sent = tokens.bearer_secret(request) or ""
        return hmac.compare_digest(sent.encode(), expected.encode())
    try:
        return ip_address(client_address(request)).is_loopback
    except ValueError:
        return False


def _add_handlers(app: FastAPI) -> None:
    """Turn every refusal into a problem for programs, or a page for people."""

    @app.exception_handler(SignInNeeded)
    def sign_in(request: Request, _error: Exception) -> Response:
        here = request.url.path if request.method == "GET" else "/"
        return RedirectResponse(f"/sign-in?next={quote(here)}", 303)

    @app.exception_handler(ConfirmationNeeded)
    def confirm(_request: Request, error: ConfirmationNeeded) -> Response:
        return RedirectResponse(f"/account/confirm?next={quote(error.back)}", 303)

    @app.exception_handler(Problem)
    def problem(request: Request, error: Problem) -> Response:
        return _answer(request, error)

    @app.exception_handler(EntrenousError)
    def refusal(request: Request, error: EntrenousError) -> Response:
        return _answer(request, _as_problem(error))

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        is_program = request.url.path.startswith("/v1")
        return _answer(request, invalid_fields(error.errors()) if is_program else _as_problem(NotFound()))

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            return _answer(request, _as_problem(NotFound()))
        return _answer(
            request,
            Problem(error.status_code, "http", "This cannot be done here.", headers=error.headers or {}),
        )


class Unexpected:
    """Answer what nobody expected without details; the log gets the kind and the place, never what was sent.

    The framework's own handler stands outside everything: its answers lack the headers of all others, and it
    hands the error on to the server, which logs its message.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and say what little can be said if that fails before an answer has begun."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, noting)
            return
        except Exception as error:  # noqa: BLE001 - this is the last place that can keep its message
            log.error("unexpected %s at %s", type(error).__name__, path_pattern(scope))
            problem = UNEXPECTED
            if is_away(error):
                problem = FILES_AWAY if isinstance(error, ObjectsAway) else AWAY
        if begun:
            raise RuntimeError("an answer broke off")  # the server has to close the connection
        answer = await run_in_threadpool(_answer, Request(scope, receive), problem)
        await answer(scope, receive, send)


def _as_problem(error: EntrenousError) -> Problem:
    if isinstance(error, NotFound):
        return Problem(404, "not-found", "There is nothing here, or nothing that you may see.")
    if isinstance(error, Conflict):
        return Problem(409, error.code.replace("_", "-"), str(error))
    if isinstance(error, Busy):
        return Problem(503, "busy", str(error), headers={"retry-after": str(error.seconds)})
    if isinstance(error, SignInFailed):
        return Problem(400, "sign-in-failed", str(error))
    if isinstance(error, UploadRefused):
        return Problem(error.status, error.code.replace("_", "-"), str(error), headers=error.headers)
    if isinstance(error, ArgumentError):
        place = {"field": error.argument, "expected": str(error).removeprefix(f"{error.argument}: ")}
        return Problem(422, "invalid", str(error), [place])
    return Problem(422, "invalid", str(error))


def _answer(request: Request, problem: Problem) -> Response:
    if request.url.path.startswith("/v1"):
        return problem.response()
    told: dict[str, Any] = {"status": problem.status, "title": problem.title, "detail": problem.detail}
    try:
        with visitor(request) as visit:
            # Links in mails are opened by people who are not signed in: there or not, they are shown the door.
            lost = visit.person is None and problem.status == 404 and request.method == "GET"
            page = visit.page("error.html", door=request.url.path if lost else None, **told)
    except Exception:  # noqa: BLE001 - the database may be what failed
        page = render(request, "error.html", person=None, door=None, **told)
    page.headers.update(problem.headers)
    return page
