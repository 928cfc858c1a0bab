//! Where editors are served: at standard input and output, or at a port of this machine.

use std::net::{Ipv4Addr, SocketAddr};

use plait_api::{ErrorReply, Opening};
use tokio::io::{AsyncBufRead, AsyncWrite, BufReader};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::codes;
use crate::protocol::{Outbox, read_message, write_messages};
use crate::session::{Session, Signal};

/// Serves the editor that started this process, until it is gone. `opening` opens the data directory. `dap.protocol`, and the errors of
/// closing.
pub async fn serve_stdio(opening: Opening) -> Result<(), ErrorReply> {
    serve(opening, BufReader::new(tokio::io::stdin()), tokio::io::stdout()).await
}

/// Waits for an editor at a port of this machine.
pub struct DapListener {
    listener: TcpListener,
    address: SocketAddr,
}

impl DapListener {
    /// Listens on 127.0.0.1; port 0 lets the system choose one. `dap.address`.
    pub async fn listen(port: u16) -> Result<Self, ErrorReply> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
        let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) = bound.map_err(|error| cannot_listen(&error))?;
        Ok(Self { listener, address })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves the first editor that connects, and nobody else: what connects later would be another program. `dap.address`, and the
    /// errors of [`serve_stdio`].
    pub async fn serve(self, opening: Opening) -> Result<(), ErrorReply> {
        let (stream, _) = self.listener.accept().await.map_err(|error| cannot_listen(&error))?;
        drop(self.listener);
        let (reader, writer) = stream.into_split();
        serve(opening, BufReader::new(reader), writer).await
    }
}

fn cannot_listen(error: &std::io::Error) -> ErrorReply {
    ErrorReply::new(codes::DAP_ADDRESS, format!("The debug adapter cannot listen on 127.0.0.1: {error}."))
        .hint("Choose another port with `--port PORT`.")
}

/// Serves an editor at any stream, until it is gone. The errors of [`serve_stdio`].
pub async fn serve(
    opening: Opening,
    mut reader: impl AsyncBufRead + Unpin + Send + 'static,
    writer: impl AsyncWrite + Unpin + Send + 'static,
) -> Result<(), ErrorReply> {
    let (outbox, messages) = Outbox::new();
    let writing = tokio::spawn(write_messages(messages, writer));
    let (signals, received) = mpsc::unbounded_channel();
    // Reads ahead: a message that is half read must not be lost when something else happens.
    tokio::spawn(async move {
        loop {
            let signal = match read_message(&mut reader).await {
                Ok(Some(message)) => Signal::Message(message),
                Ok(None) => Signal::Gone(Ok(())),
                Err(error) => Signal::Gone(Err(error)),
            };
            let is_last = matches!(signal, Signal::Gone(_));
            if signals.send(signal).is_err() || is_last {
                return;
            }
        }
    });
    let ended = Session::new(opening, outbox).run(received).await;
    // The session's outbox is gone: what is left is written. An editor that is gone reads nothing.
    drop(writing.await);
    ended
}

#[cfg(test)]
mod tests;
