//! `serve`: one process that opens the data directories of the tenants, listens, and ends in order. With a database, workers drive the runs of published
//! flows; else this process does.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum_server::{Control, Handle};
use plait_api::ErrorReply;
use plait_host_store::TenantName;
use reqwest::Url;
use tokio::sync::{Semaphore, watch};

use crate::audit::AuditLog;
use crate::certificate::{CertificateFiles, ServedCertificate};
use crate::codes;
use crate::connections;
use crate::end_signals::EndSignals;
use crate::host::Host;
use crate::identities::Identities;
use crate::kept_runs::KeptRuns;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::phase::Phase;
use crate::request_rate::RequestRate;
use crate::restate::ingress::Ingress;
use crate::routes;
use crate::routes::metrics::Scrape;
use crate::tenants::{Tenants, TenantsOptions};
use crate::tokens::TokenFile;

/// How long open requests may take once the host takes no more.
const REQUESTS_TIMEOUT: Duration = Duration::from_secs(10);

/// How to serve.
pub(crate) struct ServeOptions {
    pub(crate) home: PathBuf,
    /// The folder with the flows of the default tenant.
    pub(crate) flows: PathBuf,
    /// A folder with a folder of flows for each of the others.
    pub(crate) tenant_flows: Option<PathBuf>,
    /// The address of the database, if workers drive the runs of published flows.
    pub(crate) database: Option<String>,
    /// The addresses of Restate's ingress, if it decides which worker drives a run.
    pub(crate) restate: Vec<Url>,
    pub(crate) listen: SocketAddr,
    /// Where it is asked for its metrics, without encryption.
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// What the host encrypts with.
    pub(crate) certificate: Option<CertificateFiles>,
    /// Whether others than this machine may be answered, without encryption.
    pub(crate) plain_http: bool,
    pub(crate) limits: Limits,
    /// How long ended runs of the database are kept.
    pub(crate) kept_runs: KeptRuns,
}

/// Serves until the process is asked to end. `host.address`, `host.certificate`, `host.audit`, and the errors of opening the data directory.
pub(crate) async fn serve(options: ServeOptions) -> Result<(), ErrorReply> {
    let ServeOptions { listen, metrics_listen, certificate, plain_http, limits, .. } = options;
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
    let ServeOptions { home, flows, tenant_flows, database, restate, kept_runs, .. } = options;
    let restate = if restate.is_empty() { None } else { Some(Arc::new(Ingress::new(restate)?)) };
    let phase = watch::channel(Phase::Serving).0;
    let tokens = TokenFile::of(&home);
    let audit = Arc::new(AuditLog::open(&home)?);
    let tenants = TenantsOptions {
        home: home.clone(),
        flows,
        tenant_flows,
        database,
        restate,
        limits,
        kept_runs,
        audit: Arc::clone(&audit),
    };
    let host = Arc::new(Host {
        tokens,
        identities: Identities::of(&home),
        tenants: Tenants::new(tenants, phase.subscribe())?,
        audit,
        limits,
        requests: Arc::new(Semaphore::new(limits.requests())),
        rate: RequestRate::new(limits.requests_per_minute()),
        phase,
        metrics: Metrics::default(),
    });
    let served = match host.tenants.get(&TenantName::default()).await {
        Ok(_) => serve_opened(&host, (listener, metrics), &mut signals).await,
        Err(error) => Err(error),
    };
    served.and(host.tenants.close().await)
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
    host: &Arc<Host>,
    (listener, metrics): (Listener, Option<Listener>),
    signals: &mut EndSignals,
) -> Result<(), ErrorReply> {
    println!("{}", listener.url());
    let Listener { socket, address, certificate } = listener;
    let tls = certificate.as_ref().map(ServedCertificate::server_config).transpose()?;
    let control = Control::new();
    let (timeouts, handle) = (host.limits.connection_timeouts(), || Handle::with_control(control.clone()));
    if let Some(metrics) = metrics {
        eprintln!("Metrics: {}/metrics", metrics.url());
        let scrape = Scrape { host: Arc::clone(host), certificate, control: control.clone() };
        let router = routes::metrics_router(scrape);
        tokio::spawn(connections::serve(metrics.socket, router, timeouts, None, handle()));
    }
    let router = routes::router(Arc::clone(host));
    let server = tokio::spawn(connections::serve(socket, router, timeouts, tls, handle()));
    let opening = Arc::clone(host);
    tokio::spawn(async move { opening.tenants.open_all().await });
    signals.next().await;
    drain(host, signals).await;
    eprintln!("Ending: no more requests are taken.");
    host.phase.send_replace(Phase::Ending);
    // A client that does not read must not keep the process.
    control.graceful_shutdown(Some(REQUESTS_TIMEOUT));
    match server.await {
        Ok(Err(error)) => Err(cannot_listen(address, &error)),
        _ => Ok(()),
    }
}

/// Lets the runs at work end, for a bounded time or until the process is asked again. What is at work then goes on at the next start.
async fn drain(host: &Host, signals: &mut EndSignals) {
    host.phase.send_replace(Phase::Draining);
    let timeout = host.limits.drain_timeout();
    eprintln!("Draining: no runs begin, and those at work have {} s.", timeout.as_secs());
    let tenants = host.tenants.opened();
    let idle = async {
        for tenant in &tenants {
            tenant.plait.runs().all_idle().await;
        }
    };
    tokio::select! {
        () = idle => {}
        () = tokio::time::sleep(timeout) => {}
        () = signals.next() => {}
    }
}
