//! Errors as responses: the same codes as everywhere, with the status that HTTP has for them.

use axum::Json;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use plait_api::ErrorReply;
use plait_core::error::ErrorCode;
use plait_core::id::RunId;
use serde_json::json;

/// The header that names the run which a request began.
pub(crate) const RUN_HEADER: &str = "plait-run";

/// The detail of an error that says after how many seconds the request may be sent again.
pub(crate) const RETRY_AFTER_DETAIL: &str = "retryAfter";

/// The same where the error does not say it.
const RETRY_SECONDS: u64 = 1;

/// Why a request failed.
pub(crate) struct Failure {
    error: ErrorReply,
    /// The run that it began before it failed.
    run: Option<RunId>,
}

impl Failure {
    /// A failure after the run was begun.
    pub(crate) fn of_run(error: ErrorReply, run: &RunId) -> Self {
        Self { error, run: Some(run.clone()) }
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        match status_of(&self.error.code) {
            StatusCode::UNAUTHORIZED => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => {
                let seconds = self.error.details.get(RETRY_AFTER_DETAIL).and_then(serde_json::Value::as_u64);
                headers.insert(RETRY_AFTER, seconds.unwrap_or(RETRY_SECONDS).into());
            }
            _ => {}
        }
        if let Some(run) = self.run.as_ref().and_then(|run| HeaderValue::from_str(run.as_str()).ok()) {
            headers.insert(RUN_HEADER, run);
        }
        headers
    }
}

/// The body of an error as clients of the `OpenAI` API read it.
pub(crate) fn chat_error(error: &ErrorReply) -> serde_json::Value {
    let kind = match status_of(&error.code) {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::NOT_FOUND => "not_found_error",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        status if status.is_client_error() => "invalid_request_error",
        _ => "server_error",
    };
    let message = match &error.hint {
        Some(hint) => format!("{} {hint}", error.message),
        None => error.message.clone(),
    };
    json!({ "error": { "message": message, "type": kind, "param": null, "code": error.code } })
}

impl From<ErrorReply> for Failure {
    fn from(error: ErrorReply) -> Self {
        Self { error, run: None }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = status_of(&self.error.code);
        let headers = self.headers();
        (status, headers, ErrorExtension::of(&self.error), Json(json!({ "error": self.error })))
            .into_response()
    }
}

/// The code of the error that a response has, for the audit log.
#[derive(Clone)]
pub(crate) struct ErrorExtension(pub(crate) ErrorCode);

impl ErrorExtension {
    fn of(error: &ErrorReply) -> axum::Extension<Self> {
        axum::Extension(Self(error.code.clone()))
    }
}

/// The status for an error.
pub(crate) fn status_of(code: &ErrorCode) -> StatusCode {
    let (domain, reason) = code.as_str().split_once('.').unwrap_or((code.as_str(), ""));
    match (domain, reason) {
        ("host", "unauthorized") => StatusCode::UNAUTHORIZED,
        ("host", "forbidden" | "not_served" | "path" | "machine_only" | "tenant_unknown") | ("grant", _) => {
            StatusCode::FORBIDDEN
        }
        ("host", "route")
        | ("mcp", "unknown_server")
        | ("attachment", "missing")
        | (_, "unknown" | "not_found") => StatusCode::NOT_FOUND,
        ("host", "too_large") => StatusCode::PAYLOAD_TOO_LARGE,
        ("host", "slow") => StatusCode::REQUEST_TIMEOUT,
        ("host", "busy" | "rate" | "runs") | ("quota", _) => StatusCode::TOO_MANY_REQUESTS,
        (
            "host",
            "closing" | "audit" | "tokens" | "tenants" | "database" | "newer_worker" | "callback_file"
            | "callback_secret" | "identity_providers",
        )
        | ("openid", "unreachable") => StatusCode::SERVICE_UNAVAILABLE,
        ("host", "body" | "not_in_database")
        | ("command", "arguments")
        | ("chat", "messages" | "unsupported") => StatusCode::BAD_REQUEST,
        (_, "busy" | "ended" | "locked" | "conflict" | "changed" | "waits" | "is_child" | "not_waiting") => {
            StatusCode::CONFLICT
        }
        ("provider" | "model", _) => StatusCode::BAD_GATEWAY,
        ("store" | "journal" | "command", _) | (_, "corrupt" | "panicked" | "damaged") => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

#[cfg(test)]
mod tests;
