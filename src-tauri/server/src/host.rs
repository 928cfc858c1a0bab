//! What all requests share, whatever their tenant: the tokens, the audit log, the limits. What a request is about is its [`Tenant`]'s.

use std::sync::Arc;

use plait_api::ErrorReply;
use serde_json::Value;
use tokio::sync::{Semaphore, watch};

use crate::audit::AuditLog;
use crate::codes;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::request_rate::RequestRate;
use crate::roles::Role;
use crate::tenants::Tenants;
use crate::tokens::{Token, TokenFile};

/// What the host does on its way to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Serving,
    /// No runs begin; those at work may end.
    Draining,
    /// No requests are taken.
    Ending,
}

impl Phase {
    /// `host.closing` unless requests are taken as ever.
    pub(crate) fn refuse_unless_serving(self) -> Result<(), ErrorReply> {
        if self == Self::Serving { Ok(()) } else { Err(closing()) }
    }
}

/// Only what lets requests in has it. Routes have the tenant of their token alone.
pub(crate) struct Host {
    pub(crate) tokens: TokenFile,
    pub(crate) audit: AuditLog,
    pub(crate) limits: Limits,
    /// A permit for each request and stream.
    pub(crate) requests: Arc<Semaphore>,
    pub(crate) rate: RequestRate,
    pub(crate) phase: watch::Sender<Phase>,
    pub(crate) metrics: Metrics,
    pub(crate) tenants: Tenants,
}

/// Who sent a request.
#[derive(Clone)]
pub(crate) struct Caller(pub(crate) Token);

impl Caller {
    /// `host.forbidden` for a lower role.
    pub(crate) fn require(&self, least: Role) -> Result<(), ErrorReply> {
        let role = self.0.role;
        if role >= least {
            return Ok(());
        }
        let (least, role) = (least.name(), role.name());
        let message = format!("This needs the role `{least}`, and the token has the role `{role}`.");
        Err(ErrorReply::new(codes::HOST_FORBIDDEN, message)
            .hint("An administrator of the host adds tokens: `plait-server tokens add`."))
    }
}

pub(crate) fn wrong_body(message: String) -> ErrorReply {
    ErrorReply::new(codes::HOST_BODY, message).hint("`/openapi.json` describes every route.")
}

pub(crate) fn closing() -> ErrorReply {
    ErrorReply::new(codes::HOST_CLOSING, "The host ends.")
        .hint("Runs that go on are continued when it starts again.")
}

/// Executes what was begun to its end, also if the client is gone meanwhile.
pub(crate) async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, ErrorReply>> + Send + 'static,
) -> Result<T, ErrorReply> {
    tokio::spawn(work).await.map_err(|error| {
        ErrorReply::new(codes::COMMAND_REPLY, format!("The host could not finish the request: {error}."))
    })?
}

/// An empty body of a command stands for no arguments.
pub(crate) fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}
