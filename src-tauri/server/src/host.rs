//! What all requests share: the application, the tokens, the audit log, the published flows and the limits.

use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use futures::StreamExt as _;
use plait_api::runs::{RunState, ShowRun};
use plait_api::users::ListUsers;
use plait_api::{ErrorReply, Plait};
use plait_core::id::RunId;
use plait_core::user::UserName;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::{Semaphore, watch};

use crate::audit::AuditLog;
use crate::chat_threads::ChatThreads;
use crate::codes;
use crate::database_runs::DatabaseRuns;
use crate::flows_folder::FlowsFolder;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::published::Published;
use crate::request_rate::RequestRate;
use crate::roles::Role;
use crate::token_runs::{RunPlace, TokenRuns};
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

pub(crate) struct Host {
    pub(crate) plait: Plait,
    pub(crate) tokens: TokenFile,
    pub(crate) audit: AuditLog,
    pub(crate) published: Published,
    pub(crate) flows: FlowsFolder,
    pub(crate) limits: Limits,
    /// A permit for each request and stream.
    pub(crate) requests: Arc<Semaphore>,
    pub(crate) rate: RequestRate,
    pub(crate) token_runs: TokenRuns,
    pub(crate) phase: watch::Sender<Phase>,
    pub(crate) metrics: Metrics,
    pub(crate) threads: ChatThreads,
    /// The runs that workers drive, if it is not this process.
    pub(crate) database: Option<DatabaseRuns>,
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

impl Host {
    /// The person whom runs belong to unless an admin says otherwise.
    pub(crate) async fn user(&self) -> Result<UserName, ErrorReply> {
        Ok(self.plait.call(ListUsers::default()).await?.current)
    }

    /// Resolves when the host ends.
    pub(crate) async fn ended(&self) {
        // The sender is in the host.
        let _ = self.phase.subscribe().wait_for(|phase| *phase == Phase::Ending).await;
    }

    /// Resolves when a run tree has ended or can go on only by what a person does. `host.closing` if the host ends before.
    pub(crate) async fn rest(&self, run: &RunId) -> Result<(), ErrorReply> {
        let runs = self.plait.runs();
        tokio::select! {
            biased;
            _ = runs.idle_tree(run) => Ok(()),
            () = runs.settled(run) => Ok(()),
            () = self.ended() => Err(closing()),
        }
    }

    /// `host.closing` unless requests are taken as ever.
    pub(crate) fn refuse_unless_serving(&self) -> Result<(), ErrorReply> {
        if *self.phase.borrow() == Phase::Serving { Ok(()) } else { Err(closing()) }
    }

    /// A place for a run that a token begins. `host.runs`, `host.closing`.
    pub(crate) fn run_place(&self, caller: &Caller) -> Result<RunPlace<'_>, ErrorReply> {
        self.refuse_unless_serving()?;
        let runs = self.plait.runs();
        self.token_runs.place(&caller.0.id, self.limits.runs_per_token(), |run| runs.is_busy(run))
    }

    /// How a run stands. `run.unknown`, and the errors of reading it.
    pub(crate) async fn state(&self, run: &RunId) -> Result<RunState, ErrorReply> {
        Ok(RunState::of(self.plait.call(ShowRun { run: run.clone() }).await?))
    }

    /// The JSON in the body of a request. `host.body`, `host.too_large`, `host.slow`.
    pub(crate) async fn read_json<T: DeserializeOwned>(
        &self,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<T, ErrorReply> {
        let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        // Pages of other origins may send other types without being asked.
        if kind.split(';').next().map(str::trim) != Some("application/json") {
            let message = format!("The body has the type `{kind}`, and has to have `application/json`.");
            return Err(wrong_body(message));
        }
        // A body that is announced as too large is not waited for.
        if body.size_hint().lower() > self.limits.body_bytes() {
            return Err(self.too_large());
        }
        let bytes = tokio::time::timeout(self.limits.body_timeout(), self.read_bytes(body)).await;
        let bytes = bytes.map_err(|_| {
            ErrorReply::new(codes::HOST_SLOW, "The body of the request did not arrive in time.")
                .hint("Send it faster, or start the host with a higher `--body-timeout`.")
        })??;
        serde_json::from_slice(&bytes)
            .map_err(|error| wrong_body(format!("The body cannot be read: {error}.")))
    }

    async fn read_bytes(&self, body: Body) -> Result<Vec<u8>, ErrorReply> {
        let (mut bytes, mut stream) = (Vec::new(), body.into_data_stream());
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|error| wrong_body(format!("The body broke off: {error}.")))?;
            if (bytes.len() + chunk.len()) as u64 > self.limits.body_bytes() {
                return Err(self.too_large());
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    fn too_large(&self) -> ErrorReply {
        let most = self.limits.body_bytes();
        ErrorReply::new(codes::HOST_TOO_LARGE, format!("The body is larger than {most} bytes."))
            .hint("Send less, or start the host with a higher `--max-body`.")
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
