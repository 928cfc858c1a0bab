//! The connection that a request of Restate came over, within reach of the handler that answers it.
//!
//! Restate keeps a connection and asks over it again what was refused. A worker that refuses what another one may take lets the connection go:
//! what was begun over it comes to its end, and Restate opens the next one, which a balancer hands to another worker.

use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use axum_server::ConnectionShutdown;
use futures::stream::{self, StreamExt as _};

tokio::task_local! {
    static CONNECTION: ConnectionShutdown;
}

/// What `answer` gives. It and the body, in which the handler is executed, have the connection in reach.
pub(super) fn with_connection(connection: ConnectionShutdown, answer: impl FnOnce() -> Response) -> Response {
    let response = CONNECTION.sync_scope(connection.clone(), answer);
    response.map(|body| {
        let mut chunks = body.into_data_stream();
        let next = move |context: &mut Context<'_>| -> Poll<_> {
            CONNECTION.sync_scope(connection.clone(), || chunks.poll_next_unpin(context))
        };
        Body::from_stream(stream::poll_fn(next))
    })
}

/// Takes no more requests over the connection of the current one.
pub(super) fn let_go() {
    // A request that came over none has none to let go.
    let _ = CONNECTION.try_with(ConnectionShutdown::graceful_shutdown);
}
