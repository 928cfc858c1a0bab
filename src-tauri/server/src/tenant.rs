//! A tenant: a data directory with its application, its flows, and what the host keeps of its requests. Everything that a route reaches
//! is here, so a request reaches nothing of another tenant.

use std::path::PathBuf;
use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use futures::StreamExt as _;
use parking_lot::Mutex;
use plait_api::runs::{ResumeRun, RunRequest, RunState, ShowRun};
use plait_api::users::ListUsers;
use plait_api::{ErrorReply, Plait, Serving, to_window_json};
use plait_core::id::RunId;
use plait_core::user::UserName;
use plait_host_store::TenantName;
use plait_journal::view::RunStatus;
use plait_store::{RunFilter, Which};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::{Semaphore, watch};

use crate::blocking::{blocking, to_its_end};
use crate::callbacks::Callbacks;
use crate::caller::Caller;
use crate::chat_threads::ChatThreads;
use crate::codes;
use crate::database_runs::DatabaseRuns;
use crate::flows_folder::FlowsFolder;
use crate::limits::Limits;
use crate::phase::{Phase, closing};
use crate::published::Published;
use crate::tenant_folders::{mark, options_of};
use crate::token_runs::{RunPlace, TokenRuns};

/// The folder of the data directory with copies of what a database has.
const COPIES: &str = "host/copies";

pub(crate) struct Tenant {
    pub(crate) name: TenantName,
    pub(crate) plait: Plait,
    pub(crate) published: Published,
    pub(crate) flows: FlowsFolder,
    pub(crate) limits: Limits,
    /// A permit for each of its requests and streams.
    pub(crate) requests: Arc<Semaphore>,
    pub(crate) token_runs: TokenRuns,
    pub(crate) phase: watch::Receiver<Phase>,
    pub(crate) threads: ChatThreads,
    pub(crate) callbacks: Callbacks,
    /// The runs that workers drive, if it is not this process.
    pub(crate) database: Option<DatabaseRuns>,
    /// Lets `plait` and the window on this machine use the data directory through this process.
    serving: Mutex<Option<Serving>>,
}

/// What a tenant is opened with.
pub(crate) struct TenantOptions {
    pub(crate) name: TenantName,
    /// Its data directory.
    pub(crate) home: PathBuf,
    /// The folder with its flows.
    pub(crate) flows: PathBuf,
    /// The address of the database, if workers drive the runs of published flows.
    pub(crate) database: Option<String>,
    pub(crate) limits: Limits,
    pub(crate) phase: watch::Receiver<Phase>,
}

impl Tenant {
    /// Opens its data directory and goes on with the runs that were interrupted. `host.path`, `host.database`, and the errors of opening a
    /// data directory.
    pub(crate) async fn open(options: TenantOptions) -> Result<Self, ErrorReply> {
        let TenantOptions { name, home, flows, database, limits, phase } = options;
        let database = match database {
            Some(url) => Some(DatabaseRuns::open(&url, &home.join(COPIES), &name).await?),
            None => None,
        };
        let (of_name, folder) = (name.clone(), home.clone());
        let opened = blocking(move || {
            // Before the application, whose runs may read sub-flows in this folder only.
            let flows = FlowsFolder::open(&flows, &folder)?;
            Ok((flows, Plait::open(options_of(&of_name, &folder))?))
        });
        let (flows, plait) = match (opened.await, database.as_ref()) {
            (Ok(opened), _) => opened,
            (Err(error), Some(database)) => {
                database.close().await?;
                return Err(error);
            }
            (Err(error), None) => return Err(error),
        };
        for notice in plait.notices() {
            eprintln!("warning: {}{notice}", mark(&name));
        }
        let serving = Mutex::new(Serving::begin(&plait));
        resume_interrupted(&name, &plait).await;
        Ok(Self {
            name,
            published: Published::of(&home),
            plait,
            flows,
            limits,
            requests: Arc::new(Semaphore::new(limits.requests_per_tenant())),
            token_runs: TokenRuns::default(),
            phase,
            threads: ChatThreads::default(),
            callbacks: Callbacks::of(&home),
            database,
            serving,
        })
    }

    /// Ends everything in order.
    pub(crate) async fn close(&self) -> Result<(), ErrorReply> {
        let serving = self.serving.lock().take();
        if let Some(serving) = serving {
            serving.stop().await;
        }
        let closed = self.plait.close().await;
        match &self.database {
            Some(database) => closed.and(database.close().await),
            None => closed,
        }
    }

    /// The person whom runs belong to unless an admin says otherwise.
    pub(crate) async fn user(&self) -> Result<UserName, ErrorReply> {
        Ok(self.plait.call(ListUsers::default()).await?.current)
    }

    /// Resolves when the host ends.
    pub(crate) async fn ended(&self) {
        // Without a sender it has ended.
        let _ = self.phase.clone().wait_for(|phase| *phase == Phase::Ending).await;
    }

    /// Resolves when a run tree has ended or can go on only by what a person does. `host.closing` if the host ends before.
    pub(crate) async fn rest(&self, run: &RunId) -> Result<(), ErrorReply> {
        let runs = self.plait.runs();
        tokio::select! {
            biased;
            _ = runs.idle_tree(run) => Ok(()),
            () = runs.settled(run) => Ok(()),
            // The host ends because its runs are at rest, and says so to all who wait at once: this may arrive first.
            () = self.ended() => if runs.is_busy(run) { Err(closing()) } else { Ok(()) },
        }
    }

    /// How a run stands when it waits for a person or has ended. If that is `known`: when it does so the next time. `host.closing`, and
    /// the errors of reading it.
    pub(crate) async fn next_rest(&self, run: &RunId, known: Option<&Value>) -> Result<Value, ErrorReply> {
        if let Some(database) = &self.database {
            return database.next_rest(run, known).await;
        }
        loop {
            self.rest(run).await?;
            let detail = self.plait.call(ShowRun { run: run.clone() }).await?;
            let next = detail.entries.len() as u64;
            let state = window_value(&RunState::of(detail))?;
            if Some(&state) != known {
                return Ok(state);
            }
            let mut watch = self.plait.runs().watch(run, next).await?;
            tokio::select! {
                biased;
                () = self.ended() => return Err(closing()),
                _ = watch.next() => {}
            }
        }
    }

    /// `host.closing` unless requests are taken as ever.
    pub(crate) fn refuse_unless_serving(&self) -> Result<(), ErrorReply> {
        self.phase.borrow().refuse_unless_serving()
    }

    /// Begins a run unless it is there, on the workers of the database or in this process, also if the client is gone meanwhile. One that a token begins in
    /// this process counts against its limit. `host.runs`, `host.closing`, and the errors of `run.start`.
    pub(crate) async fn begin(
        self: &Arc<Self>,
        caller: Option<&Caller>,
        run: &RunId,
        request: RunRequest,
    ) -> Result<(), ErrorReply> {
        let (tenant, caller, run) = (Arc::clone(self), caller.cloned(), run.clone());
        to_its_end(async move {
            if let Some(database) = &tenant.database {
                tenant.refuse_unless_serving()?;
                return database.begin(&run, &request, tenant.user().await?).await;
            }
            if tenant.plait.store().run(&run).is_ok() {
                return Ok(());
            }
            tenant.refuse_unless_serving()?;
            let place = caller.as_ref().map(|caller| tenant.run_place(caller)).transpose()?;
            tenant.plait.runs().start_with_id(&run, request).await?;
            if let Some(place) = place {
                place.fill(run);
            }
            Ok(())
        })
        .await
    }

    /// A place for a run that a token begins. `host.runs`, `host.closing`.
    pub(crate) fn run_place(&self, caller: &Caller) -> Result<RunPlace<'_>, ErrorReply> {
        self.refuse_unless_serving()?;
        let runs = self.plait.runs();
        self.token_runs.place(&caller.id, self.limits.runs_per_token(), |run| runs.is_busy(run))
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
        serde_json::from_slice(&self.read_body(body).await?)
            .map_err(|error| wrong_body(format!("The body cannot be read: {error}.")))
    }

    /// The body of a request. `host.body`, `host.too_large`, `host.slow`.
    pub(crate) async fn read_body(&self, body: Body) -> Result<Vec<u8>, ErrorReply> {
        // A body that is announced as too large is not waited for.
        if body.size_hint().lower() > self.limits.body_bytes() {
            return Err(self.too_large());
        }
        let bytes = tokio::time::timeout(self.limits.body_timeout(), self.read_bytes(body)).await;
        bytes.map_err(|_| {
            ErrorReply::new(codes::HOST_SLOW, "The body of the request did not arrive in time.")
                .hint("Send it faster, or start the host with a higher `--body-timeout`.")
        })?
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

/// A value as clients get it.
fn window_value(value: &impl Serialize) -> Result<Value, ErrorReply> {
    serde_json::from_str(&to_window_json(value)?).map_err(|error| {
        ErrorReply::new(codes::COMMAND_REPLY, format!("The state of a run cannot be written: {error}."))
    })
}

/// Goes on with the runs that a crash or the end of a process interrupted. One that cannot go on is left as it is, and named.
async fn resume_interrupted(tenant: &TenantName, plait: &Plait) {
    let store = plait.store().clone();
    let roots = RunFilter { which: Which::Roots, ..RunFilter::default() };
    let mark = mark(tenant);
    let runs = match blocking(move || Ok(store.runs(&roots)?)).await {
        Ok(runs) => runs,
        Err(error) => return eprintln!("warning: {mark}{error}"),
    };
    let is_interrupted = |status| matches!(status, RunStatus::Running | RunStatus::Interrupted);
    for record in runs.into_iter().filter(|record| is_interrupted(record.status)) {
        let run = record.run;
        match plait.call(ResumeRun { run: run.clone() }).await {
            Ok(()) => eprintln!("{mark}Run {run} was interrupted and goes on."),
            Err(error) => eprintln!("warning: {mark}Run {run} was interrupted and cannot go on: {error}"),
        }
    }
}

pub(crate) fn wrong_body(message: String) -> ErrorReply {
    ErrorReply::new(codes::HOST_BODY, message).hint("`/openapi.json` describes every route.")
}
