//! `serve`: one process that opens the data directory, listens, and ends in order. With a database, workers drive the runs of published
//! flows; else this process does.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum_server::{Control, Handle};
use plait_api::runs::ResumeRun;
use plait_api::{ErrorReply, Options, Plait, Serving};
use plait_journal::view::RunStatus;
use plait_store::{RunFilter, Which};
use tokio::sync::{Semaphore, watch};

use crate::audit::AuditLog;
use crate::blocking::blocking;
use crate::certificate::{CertificateFiles, ServedCertificate};
use crate::chat_threads::ChatThreads;
use crate::codes;
use crate::connections;
use crate::database_runs::DatabaseRuns;
use crate::end_signals::EndSignals;
use crate::flows_folder::FlowsFolder;
use crate::host::{Host, Phase};
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::published::Published;
use crate::request_rate::RequestRate;
use crate::routes;
use crate::routes::metrics::Scrape;
use crate::token_runs::TokenRuns;
use crate::tokens::TokenFile;

/// How long open requests may take once the host takes no more.
const REQUESTS_TIMEOUT: Duration = Duration::from_secs(10);

/// The folder of the data directory with copies of what a database has.
const COPIES: &str = "host/copies";

/// How to serve.
pub(crate) struct ServeOptions {
    pub(crate) home: PathBuf,
    /// The folder with the flows.
    pub(crate) flows: PathBuf,
    /// The address of the database, if workers drive the runs of published flows.
    pub(crate) database: Option<String>,
    pub(crate) listen: SocketAddr,
    /// Where it is asked for its metrics, without encryption.
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// What the host encrypts with.
    pub(crate) certificate: Option<CertificateFiles>,
    /// Whether others than this machine may be answered, without encryption.
    pub(crate) plain_http: bool,
    pub(crate) limits: Limits,
}

/// Serves until the process is asked to end. `host.address`, `host.certificate`, `host.audit`, and the errors of opening the data directory.
pub(crate) async fn serve(options: ServeOptions) -> Result<(), ErrorReply> {
    let ServeOptions { home, flows, database, listen, metrics_listen, certificate, plain_http, limits } =
        options;
    if !listen.ip().is_loopback() && certificate.is_none() && !plain_http {
        let message = format!("Others than this machine reach {listen}, and the host does not encrypt.");
        return Err(ErrorReply::new(codes::HOST_ADDRESS, message).hint(
            "Give it a certificate with `--tls-certificate` and `--tls-key`, or listen on 127.0.0.1 behind a proxy that encrypts. \
             In a container of its own, add `--plain-http`.",
        ));
    }
    let certificate = certificate.map(ServedCertificate::read).transpose()?;
    let mut signals = EndSignals::listen()?;
    let listener = Listener::bind(listen, certificate)?;
    let metrics = metrics_listen.map(|listen| Listener::bind(listen, None)).transpose()?;
    let database = match database {
        Some(url) => Some(DatabaseRuns::open(&url, &home.join(COPIES)).await?),
        None => None,
    };
    // Before the application, whose runs may read sub-flows in this folder only.
    let flows = FlowsFolder::open(&flows, &home)?;
    let plait = Plait::open(Options::of_application(&home))?;
    for notice in plait.notices() {
        eprintln!("warning: {notice}");
    }
    let opened = (flows, database.clone());
    let served = serve_opened(&plait, opened, limits, (listener, metrics), &mut signals).await;
    let closed = plait.close().await;
    let closed = match database {
        Some(database) => closed.and(database.close().await),
        None => closed,
    };
    served.and(closed)
}

/// An address that is listened on, before requests are answered there.
struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    certificate: Option<Arc<ServedCertificate>>,
}

impl Listener {
    fn bind(listen: SocketAddr, certificate: Option<Arc<ServedCertificate>>) -> Result<Self, ErrorReply> {
        let socket = TcpListener::bind(listen).map_err(|error| cannot_listen(listen, &error))?;
        let address = socket.local_addr().map_err(|error| cannot_listen(listen, &error))?;
        Ok(Self { socket, address, certificate })
    }

    fn url(&self) -> String {
        let scheme = if self.certificate.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }
}

fn cannot_listen(listen: SocketAddr, error: &std::io::Error) -> ErrorReply {
    ErrorReply::new(codes::HOST_ADDRESS, format!("The host cannot listen on {listen}: {error}."))
        .hint("Choose another address with `--listen`.")
}

async fn serve_opened(
    plait: &Plait,
    (flows, database): (FlowsFolder, Option<DatabaseRuns>),
    limits: Limits,
    (listener, metrics): (Listener, Option<Listener>),
    signals: &mut EndSignals,
) -> Result<(), ErrorReply> {
    let home = plait.home();
    let host = Arc::new(Host {
        plait: plait.clone(),
        tokens: TokenFile::of(home),
        audit: AuditLog::open(home)?,
        published: Published::of(home),
        flows,
        limits,
        requests: Arc::new(Semaphore::new(limits.requests())),
        rate: RequestRate::new(limits.requests_per_minute()),
        token_runs: TokenRuns::default(),
        phase: watch::channel(Phase::Serving).0,
        metrics: Metrics::default(),
        threads: ChatThreads::default(),
        database,
    });
    // `plait` and the window on this machine use the data directory through this process.
    let serving = Serving::begin(plait);
    resume_interrupted(plait).await;
    println!("{}", listener.url());
    let Listener { socket, address, certificate } = listener;
    let tls = certificate.as_ref().map(ServedCertificate::server_config).transpose()?;
    let control = Control::new();
    let (timeouts, handle) = (limits.connection_timeouts(), || Handle::with_control(control.clone()));
    if let Some(metrics) = metrics {
        eprintln!("Metrics: {}/metrics", metrics.url());
        let scrape = Scrape { host: Arc::clone(&host), certificate, control: control.clone() };
        let router = routes::metrics_router(scrape);
        tokio::spawn(connections::serve(metrics.socket, router, timeouts, None, handle()));
    }
    let router = routes::router(Arc::clone(&host));
    let server = tokio::spawn(connections::serve(socket, router, timeouts, tls, handle()));
    signals.next().await;
    drain(&host, signals).await;
    eprintln!("Ending: no more requests are taken.");
    host.phase.send_replace(Phase::Ending);
    // A client that does not read must not keep the process.
    control.graceful_shutdown(Some(REQUESTS_TIMEOUT));
    let ended = server.await;
    if let Some(serving) = serving {
        serving.stop().await;
    }
    match ended {
        Ok(Err(error)) => Err(cannot_listen(address, &error)),
        _ => Ok(()),
    }
}

/// Lets the runs at work end, for a bounded time or until the process is asked again. What is at work then goes on at the next start.
async fn drain(host: &Host, signals: &mut EndSignals) {
    host.phase.send_replace(Phase::Draining);
    let timeout = host.limits.drain_timeout();
    eprintln!("Draining: no runs begin, and those at work have {} s.", timeout.as_secs());
    tokio::select! {
        () = host.plait.runs().all_idle() => {}
        () = tokio::time::sleep(timeout) => {}
        () = signals.next() => {}
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
