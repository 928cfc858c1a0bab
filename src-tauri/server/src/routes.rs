//! The routes, and what every request passes on its way: the token, the audit log, the number of requests at once.

mod chat;
mod commands;
mod database_runs;
mod flows;
mod health;
mod hooks;
pub(crate) mod metrics;
pub(crate) mod openapi;
mod runs;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::HeaderValue;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures::StreamExt as _;
use jiff::Timestamp;
use plait_api::ErrorReply;
use plait_api::openid::Addressees;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::access::is_command;
use crate::audit::AuditEntry;
use crate::caller::Caller;
use crate::codes;
use crate::failure::{ErrorExtension, Failure, RUN_HEADER};
use crate::host::Host;
use crate::phase::{Phase, closing};
use crate::tenant::Tenant;
use crate::tokens::{TokenFile, unauthorized};

/// The media type of streams of events.
const EVENT_STREAM: &str = "text/event-stream";

/// How often it is looked whether who reads a stream may still do so.
const STREAM_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// The routes that clients of the `OpenAI` API know begin with this.
const CHAT_PATH: &str = "/v1/";

/// The addresses for other systems begin with this, and end with a token.
const HOOK_PATH: &str = "/hooks/";

/// The routes of commands begin with this.
const COMMAND_PATH: &str = "/commands/";

/// What a monitoring system asks, without a token, at an address of its own.
pub(crate) fn metrics_router(scrape: metrics::Scrape) -> Router {
    Router::new().route("/metrics", get(metrics::text)).with_state(scrape)
}

pub(crate) fn router(host: Arc<Host>) -> Router {
    Router::new()
        .route("/commands/{name}", post(commands::execute))
        .route("/flows/{name}/runs", post(flows::run))
        .route("/hooks/{token}", post(hooks::receive))
        .route("/runs", get(runs::board))
        .route("/runs/changes", get(runs::changes))
        .route("/runs/{run}", get(runs::show))
        .route("/runs/{run}/events", get(runs::events))
        .route("/v1/models", get(chat::models))
        .route("/v1/models/{name}", get(chat::model))
        .route("/v1/chat/completions", post(chat::complete))
        .fallback(async || Failure::from(no_route()))
        .method_not_allowed_fallback(async || Failure::from(no_route()))
        .layer(middleware::from_fn_with_state(Arc::clone(&host), admit))
        .route("/healthz", get(health::is_alive))
        .route("/readyz", get(health::is_ready))
        .route("/openapi.json", get(async || Json(openapi::document())))
        .with_state(host)
}

fn no_route() -> ErrorReply {
    let message = "The host has no such address, or not with this method.";
    ErrorReply::new(codes::HOST_ROUTE, message).hint("`/openapi.json` describes every route.")
}

/// Lets requests with a token through while there is room, and writes what became of them to the audit log.
async fn admit(State(host): State<Arc<Host>>, mut request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), path_without_token(request.uri().path()));
    let is_chat = path.starts_with(CHAT_PATH);
    let route = route_name(&request);
    let given = Credential::of(&request);
    let (caller, response) = match authenticate(&host, given.clone()).await {
        Ok(caller) => {
            let response = match admit_caller(&host, &caller).await {
                Ok((tenant, permits)) => {
                    request.extensions_mut().insert(caller.clone());
                    // All that a route has: the tenant of the caller, whatever the request names.
                    request.extensions_mut().insert(tenant);
                    hold(&host, next.run(request).await, permits, given)
                }
                Err(error) => Failure::from(error).into_response(),
            };
            (Some(caller), response)
        }
        Err(error) => (None, Failure::from(error).into_response()),
    };
    let caller = caller.as_ref();
    let tenant = caller.map(|caller| &caller.tenant);
    let code = response.extensions().get::<ErrorExtension>().cloned();
    let response = match &code {
        Some(_) if is_chat => as_chat_error(response).await,
        _ => response,
    };
    host.metrics.count_request(tenant, method.as_str(), &route, response.status().as_u16());
    host.audit.write(&AuditEntry {
        at: Timestamp::now(),
        token: caller.map(|caller| caller.id.as_str()),
        name: caller.map(|caller| caller.name.as_str()),
        role: caller.map(|caller| caller.role),
        tenant,
        method: method.as_str(),
        path: &path,
        status: response.status().as_u16(),
        code: code.as_ref().map(|ErrorExtension(code)| code),
        run: response.headers().get(RUN_HEADER).and_then(|run| run.to_str().ok()),
    });
    response
}

/// The name of a route for the metrics: the pattern of its address, with the name of a command, so that there are not many.
fn route_name(request: &Request) -> String {
    let path = request.uri().path();
    if path.strip_prefix(COMMAND_PATH).is_some_and(is_command) {
        return path.to_owned();
    }
    let pattern = request.extensions().get::<MatchedPath>();
    pattern.map(|pattern| pattern.as_str().to_owned()).unwrap_or_default()
}

/// The path of a request as the audit log has it.
fn path_without_token(path: &str) -> String {
    if path.starts_with(HOOK_PATH) { format!("{HOOK_PATH}…") } else { path.to_owned() }
}

/// What a request is let in by.
#[derive(Clone)]
enum Credential {
    /// The token in the address for another system.
    Hook(String),
    /// The token in its header.
    Bearer(String),
}

impl Credential {
    /// `host.unauthorized`.
    fn of(request: &Request) -> Result<Self, ErrorReply> {
        if let Some(token) = request.uri().path().strip_prefix(HOOK_PATH) {
            return Ok(Self::Hook(token.to_owned()));
        }
        let given = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let bearer = given
            .and_then(|value| value.split_once(' '))
            .filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"));
        let (_, token) = bearer.ok_or_else(|| unauthorized("The request has no token."))?;
        Ok(Self::Bearer(token.trim().to_owned()))
    }
}

/// Who sent a request. `host.unauthorized`, `host.forbidden`, `host.closing`, `host.audit`, `host.tokens`, `host.identity_providers`,
/// `openid.unreachable`.
async fn authenticate(host: &Host, given: Result<Credential, ErrorReply>) -> Result<Caller, ErrorReply> {
    if *host.phase.borrow() == Phase::Ending {
        return Err(closing());
    }
    host.audit.check()?;
    let given = match given? {
        Credential::Hook(given) => return host.tokens.authenticate(&given).map(Caller::from),
        Credential::Bearer(given) => given,
    };
    if !TokenFile::is_own(&given)
        && let Some(addressees) = Addressees::of(&given)
    {
        return host.identities.authenticate(&given, &addressees).await;
    }
    let token = host.tokens.authenticate(&given)?;
    if token.hook.is_some() {
        let message =
            "The token of an address for other systems is a part of that address, and opens nothing else.";
        return Err(ErrorReply::new(codes::HOST_FORBIDDEN, message)
            .hint("Post to `/hooks/TOKEN`, or use a token with a role."));
    }
    Ok(token.into())
}

/// The tenant of who sent a request, and a place for it. `host.rate`, `host.busy`, and the errors of opening the tenant.
async fn admit_caller(
    host: &Host,
    caller: &Caller,
) -> Result<(Arc<Tenant>, [OwnedSemaphorePermit; 2]), ErrorReply> {
    host.rate.count(&caller.id)?;
    let place = |places: &Arc<Semaphore>, of: &str, most: usize| {
        Arc::clone(places).try_acquire_owned().map_err(|_| {
            let message = format!("{of} works on {most} requests and streams, as many as may be.");
            ErrorReply::new(codes::HOST_BUSY, message).hint("Send the request again later.")
        })
    };
    let permit = place(&host.requests, "The host", host.limits.requests())?;
    let tenant = host.tenants.get(&caller.tenant).await?;
    let own = place(&tenant.requests, "The tenant", host.limits.requests_per_tenant())?;
    Ok((tenant, [permit, own]))
}

/// Keeps the place of a request until its stream has ended, and ends the stream when `given` no longer lets in.
fn hold(
    host: &Arc<Host>,
    response: Response,
    permits: [OwnedSemaphorePermit; 2],
    given: Result<Credential, ErrorReply>,
) -> Response {
    let streams = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(EVENT_STREAM.as_bytes()));
    if !streams {
        return response;
    }
    let held = (permits, host.metrics.open_stream());
    let lapsed = lapsed(Arc::clone(host), given);
    response.map(|body| {
        let chunks = body.into_data_stream().map(move |chunk| {
            let _ = &held;
            chunk
        });
        Body::from_stream(chunks.take_until(Box::pin(lapsed)))
    })
}

/// Resolves when a token was revoked or has expired.
async fn lapsed(host: Arc<Host>, given: Result<Credential, ErrorReply>) {
    let is_refused = |error: ErrorReply| error.code == codes::HOST_UNAUTHORIZED;
    loop {
        tokio::time::sleep(STREAM_CHECK_INTERVAL).await;
        if authenticate(&host, given.clone()).await.is_err_and(is_refused) {
            return;
        }
    }
}

/// The same error with the body that clients of the `OpenAI` API read.
async fn as_chat_error(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, usize::MAX).await else { return parts.into_response() };
    let body = serde_json::from_slice::<serde_json::Value>(&bytes).ok();
    let error = body.and_then(|mut body| serde_json::from_value(body["error"].take()).ok());
    let Some(error) = error else { return (parts, bytes).into_response() };
    parts.headers.remove(axum::http::header::CONTENT_LENGTH);
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    (parts, crate::failure::chat_error(&error).to_string()).into_response()
}
