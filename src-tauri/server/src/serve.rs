//! `serve`: one process that opens the data directory, listens, and ends in order. With a database, workers drive the runs of published
//! flows; else this process does.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use plait_api::runs::ResumeRun;
use plait_api::{ErrorReply, Options, Plait, Serving};
use plait_journal::view::RunStatus;
use plait_store::{RunFilter, Which};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use crate::audit::AuditLog;
use crate::chat_threads::ChatThreads;
use crate::codes;
use crate::database_runs::DatabaseRuns;
use crate::flows_folder::FlowsFolder;
use crate::host::{Host, Limits, blocking};
use crate::listener::ReadBoundListener;
use crate::published::Published;
use crate::routes;
use crate::tokens::TokenFile;

/// How long open requests may take once the host ends.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// How to serve.
pub(crate) struct ServeOptions {
    pub(crate) home: PathBuf,
    /// The folder with the flows.
    pub(crate) flows: PathBuf,
    /// The address of the database, if workers drive the runs of published flows.
    pub(crate) database: Option<String>,
    pub(crate) listen: SocketAddr,
    /// Whether others than this machine may be answered, without encryption.
    pub(crate) plain_http: bool,
    pub(crate) limits: Limits,
    pub(crate) write_timeout: Duration,
}

/// Serves until the process is asked to end. `host.address`, `host.audit`, and the errors of opening the data directory.
pub(crate) async fn serve(options: ServeOptions) -> Result<(), ErrorReply> {
    let ServeOptions { home, flows, database, listen, plain_http, limits, write_timeout } = options;
    if !listen.ip().is_loopback() && !plain_http {
        let message = format!("Others than this machine reach {listen}, and the host does not encrypt.");
        return Err(ErrorReply::new(codes::HOST_ADDRESS, message)
            .hint("Listen on 127.0.0.1 behind a proxy that encrypts. In a container of its own, add `--plain-http`."));
    }
    let mut asked_to_end = std::pin::pin!(end_signal()?);
    let database = match database {
        Some(url) => Some(DatabaseRuns::open(&url).await?),
        None => None,
    };
    let plait = Plait::open(Options::of_application(&home))?;
    for notice in plait.notices() {
        eprintln!("warning: {notice}");
    }
    let served =
        serve_opened(&plait, &flows, database, (listen, limits, write_timeout), asked_to_end.as_mut()).await;
    let closed = plait.close().await;
    served.and(closed)
}

async fn serve_opened(
    plait: &Plait,
    flows: &Path,
    database: Option<DatabaseRuns>,
    (listen, limits, write_timeout): (SocketAddr, Limits, Duration),
    asked_to_end: impl Future<Output = ()>,
) -> Result<(), ErrorReply> {
    let home = plait.home();
    let host = Arc::new(Host {
        plait: plait.clone(),
        tokens: TokenFile::of(home),
        audit: AuditLog::open(home)?,
        published: Published::of(home),
        flows: FlowsFolder::open(flows, home)?,
        limits,
        requests: Arc::new(Semaphore::new(limits.requests)),
        ending: watch::channel(false).0,
        threads: ChatThreads::default(),
        database,
    });
    let cannot = |error: std::io::Error| {
        ErrorReply::new(codes::HOST_ADDRESS, format!("The host cannot listen on {listen}: {error}."))
            .hint("Choose another address with `--listen`.")
    };
    let listener = TcpListener::bind(listen).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    // `plait` and the window on this machine use the data directory through this process.
    let serving = Serving::begin(plait);
    resume_interrupted(plait).await;
    println!("http://{address}");
    let ended = Arc::clone(&host);
    let server =
        axum::serve(ReadBoundListener::new(listener, write_timeout), routes::router(Arc::clone(&host)))
            .with_graceful_shutdown(async move { ended.ended().await });
    let server = tokio::spawn(server.into_future());
    asked_to_end.await;
    eprintln!("Ending: no more requests are taken.");
    host.ending.send_replace(true);
    // A client that does not read must not keep the process.
    let drained = tokio::time::timeout(DRAIN_TIMEOUT, server).await;
    if let Some(serving) = serving {
        serving.stop().await;
    }
    match drained {
        Ok(Ok(Err(error))) => Err(cannot(error)),
        _ => Ok(()),
    }
}

/// Goes on with the runs that a crash or the end of a process interrupted. One that cannot go on is left as it is, and named.
async fn resume_interrupted(plait: &Plait) {
    let store = plait.store().clone();
    let roots = RunFilter { which: Which::Roots, ..RunFilter::default() };
    let runs = match blocking(move || Ok(store.runs(&roots)?)).await {
        Ok(runs) => runs,
        Err(error) => return eprintln!("warning: {error}"),
    };
    let is_interrupted = |status| matches!(status, RunStatus::Running | RunStatus::Interrupted);
    for record in runs.into_iter().filter(|record| is_interrupted(record.status)) {
        let run = record.run;
        match plait.call(ResumeRun { run: run.clone() }).await {
            Ok(()) => eprintln!("Run {run} was interrupted and goes on."),
            Err(error) => eprintln!("warning: Run {run} was interrupted and cannot go on: {error}"),
        }
    }
}

/// Resolves when the process is asked to end, by Ctrl+C or by the system. From now on neither ends it at once.
pub(crate) fn end_signal() -> Result<impl Future<Output = ()>, ErrorReply> {
    let cannot = |error: std::io::Error| {
        ErrorReply::new(
            codes::HOST_ADDRESS,
            format!("The host cannot listen for the signal to end: {error}."),
        )
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut interrupt = signal(SignalKind::interrupt()).map_err(cannot)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(cannot)?;
        Ok(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        })
    }
    #[cfg(windows)]
    {
        let mut ctrl_c = tokio::signal::windows::ctrl_c().map_err(cannot)?;
        Ok(async move {
            let _ = ctrl_c.recv().await;
        })
    }
}
