//! The address at which Restate asks a worker to drive trees: the virtual object [`OBJECT`](crate::restate::OBJECT), keyed by tenant and root.
//!
//! A handler does nothing that Restate records. So an invocation that was begun with a worker of one version goes on with one of any other.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::{Extension, Router};
use axum_server::{ConnectionShutdown, Handle, Server};
use parking_lot::RwLock;
use plait_api::ErrorReply;
use plait_host_store::TenantName;
use restate_sdk::endpoint::{Endpoint, ServiceOptions};
use restate_sdk::errors::{HandlerError, TerminalError};
use restate_sdk::prelude::ObjectContext;
use restate_sdk::service::IntoServiceDefinition as _;
use tokio::task::JoinHandle;

use super::Worker;
use super::request_connection::{let_go, with_connection};
use crate::codes;
use crate::restate::run_of_key;

/// How many requests come over one connection at most. Restate opens the next one then, which a balancer hands to another worker.
const MAX_STREAMS_PER_CONNECTION: u32 = 8;
/// How long Restate waits for a tree before it asks again. That disturbs nothing: the tree is driven on, and the next request waits for it. Longer than
/// most runs, so that it is rare.
const INVOCATION_TIMEOUT: Duration = Duration::from_hours(1);
/// How long Restate knows requests of hosts again. They say the hour: see [`relay`](crate::restate::relay).
const IDEMPOTENCY_RETENTION: Duration = Duration::from_hours(1);
/// How soon Restate asks again after an error, and at the latest.
const MIN_RETRY_DELAY: Duration = Duration::from_millis(50);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(5);
/// Restate asks as long as it takes: its own limit pauses what was asked 70 times.
const MAX_RETRIES: u64 = 1_000_000_000;
/// How long the last responses may take when the worker ends.
const END_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) struct EndpointOptions {
    pub(crate) listen: SocketAddr,
    /// The public keys that requests may be signed with. Without any, nothing is checked.
    pub(crate) keys: Vec<String>,
    /// Whether others than this machine may ask without a signature.
    pub(crate) allow_unsigned: bool,
}

/// The workers of a process, by tenant.
pub(super) type Workers = Arc<RwLock<BTreeMap<TenantName, Arc<Worker>>>>;

/// The address while it is served.
pub(super) struct RestateEndpoint {
    handle: Handle<SocketAddr>,
    server: JoinHandle<std::io::Result<()>>,
}

impl RestateEndpoint {
    /// Begins to serve, and prints the address. `host.address`, `host.restate_key`.
    pub(super) fn serve(
        options: &EndpointOptions,
        max_runs: u32,
        workers: Workers,
    ) -> Result<Self, ErrorReply> {
        let EndpointOptions { listen, keys, allow_unsigned } = options;
        if !listen.ip().is_loopback() && keys.is_empty() && !allow_unsigned {
            let message = format!("Others than this machine reach {listen}, and requests are not checked.");
            return Err(ErrorReply::new(codes::HOST_ADDRESS, message).hint(
                "Give the worker the public key of Restate with `--restate-key`, or listen on 127.0.0.1. In a network that only \
                 Restate and the workers are in, add `--restate-unsigned`.",
            ));
        }
        let mut endpoint = Endpoint::builder().bind(
            PlaitRun { workers }.into_service_definition().options(
                ServiceOptions::new()
                    .inactivity_timeout(INVOCATION_TIMEOUT)
                    .abort_timeout(INVOCATION_TIMEOUT)
                    .idempotency_retention(IDEMPOTENCY_RETENTION)
                    .retry_policy_initial_interval(MIN_RETRY_DELAY)
                    .retry_policy_max_interval(MAX_RETRY_DELAY)
                    .retry_policy_max_attempts(MAX_RETRIES),
            ),
        );
        for key in keys {
            endpoint = endpoint.identity_key(key).map_err(|error| {
                let message = format!("`{key}` is no public key of Restate: {error}.");
                ErrorReply::new(codes::HOST_RESTATE_KEY, message)
                    .hint("Restate prints it when it starts. It begins with `publickeyv1_`.")
            })?;
        }
        let cannot_listen = |error: std::io::Error| {
            ErrorReply::new(
                codes::HOST_ADDRESS,
                format!("The worker cannot listen on {listen} for Restate: {error}."),
            )
            .hint("Choose another address with `--restate-listen`.")
        };
        let socket = TcpListener::bind(listen).map_err(cannot_listen)?;
        let address = socket.local_addr().map_err(cannot_listen)?;
        let handle = Handle::new();
        let mut server: Server<SocketAddr> =
            axum_server::from_tcp(socket).map_err(cannot_listen)?.handle(handle.clone()).http2_only();
        server.http_builder().http2().max_concurrent_streams(max_runs.min(MAX_STREAMS_PER_CONNECTION));
        let router = Router::new().fallback(answer).with_state(endpoint.build());
        let server = tokio::spawn(server.serve(router.into_make_service()));
        println!("restate http://{address}");
        Ok(Self { handle, server })
    }

    /// Takes no more requests. Those that were begun may end.
    pub(super) fn close(&self) {
        self.handle.graceful_shutdown(Some(END_TIMEOUT));
    }

    /// Resolves when all have ended.
    pub(super) async fn closed(self) {
        // What could not be answered is asked again elsewhere.
        let _ = self.server.await;
    }
}

async fn answer(
    State(endpoint): State<Endpoint>,
    Extension(connection): Extension<ConnectionShutdown>,
    request: Request,
) -> Response {
    with_connection(connection, || endpoint.handle(request).map(Body::new))
}

/// Whether another worker may drive the run that this one refuses.
fn may_another(error: &ErrorReply) -> bool {
    [codes::HOST_BUSY, codes::HOST_NEWER_WORKER].contains(&error.code)
}

struct PlaitRun {
    workers: Workers,
}

#[restate_sdk::object]
impl PlaitRun {
    /// Drives a run tree until it has nothing to do.
    #[handler]
    async fn advance(&self, context: ObjectContext<'_>) -> Result<(), HandlerError> {
        let Some((tenant, root)) = run_of_key(context.key()) else {
            let message = format!("`{}` does not name a run. It has the form `TENANT/RUN`.", context.key());
            return Err(TerminalError::new_with_code(400, message).into());
        };
        let worker = self.workers.read().get(&tenant).cloned();
        let Some(worker) = worker else {
            let_go();
            let message = format!("This worker does not have the tenant `{tenant}`.");
            return Err(ErrorReply::new(codes::HOST_TENANT_UNKNOWN, message).into());
        };
        let advanced = worker.advance(&root).await;
        if advanced.as_ref().is_err_and(may_another) {
            let_go();
        }
        Ok(advanced?)
    }
}
