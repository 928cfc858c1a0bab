//! Listens for connections, and drops those of clients that do not read: a response that waits for one holds a place among the requests.

use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;

/// A listener with a limit for how long a client may take to read.
pub(crate) struct ReadBoundListener {
    listener: TcpListener,
    write_timeout: Duration,
}

impl ReadBoundListener {
    pub(crate) fn new(listener: TcpListener, write_timeout: Duration) -> Self {
        Self { listener, write_timeout }
    }
}

impl Listener for ReadBoundListener {
    type Io = Pin<Box<TimeoutStream<TcpStream>>>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.write_timeout));
        (Box::pin(stream), address)
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}
