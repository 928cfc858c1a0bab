//! Connections: with TLS or without, and what bounds each of them. A client that sends its request slowly, or does not read its response,
//! loses its connection: otherwise it would hold a place among the requests.

use std::future::{Ready, ready};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum_server::accept::Accept;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use axum_server::{Handle, Server};
use rustls::ServerConfig;
use tokio::net::TcpStream;
use tokio_io_timeout::TimeoutStream;

/// How long clients may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionTimeouts {
    /// For the handshake of TLS, and for the head of each request.
    pub(crate) head: Duration,
    /// To read a part of a response.
    pub(crate) write: Duration,
}

/// Answers requests until the handle ends it, with TLS if there are settings for it.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    timeouts: ConnectionTimeouts,
    tls: Option<ServerConfig>,
    handle: Handle<SocketAddr>,
) -> io::Result<()> {
    // Only HTTP/1.1: a client that does not read one response of several on a connection would go unnoticed.
    let mut server: Server<SocketAddr> = axum_server::from_tcp(listener)?.handle(handle).http1_only();
    server.http_builder().http1().header_read_timeout(timeouts.head);
    let acceptor = WriteBound(timeouts.write);
    let service = router.into_make_service();
    match tls {
        None => server.acceptor(acceptor).serve(service).await,
        Some(config) => {
            let acceptor = RustlsAcceptor::new(RustlsConfig::from_config(Arc::new(config)))
                .handshake_timeout(timeouts.head)
                .acceptor(acceptor);
            server.acceptor(acceptor).serve(service).await
        }
    }
}

/// Bounds how long a client may leave what was sent to it unread.
#[derive(Clone, Copy, Debug)]
struct WriteBound(Duration);

impl<S> Accept<TcpStream, S> for WriteBound {
    type Stream = Pin<Box<TimeoutStream<TcpStream>>>;
    type Service = S;
    type Future = Ready<io::Result<(Self::Stream, S)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.0));
        ready(Ok((Box::pin(stream), service)))
    }
}
