//! Messages of a client, one in each line. A line that is no JSON is answered (JSON-RPC 2.0, section 5.1), which rmcp passes over in
//! silence: a client that cuts a message would wait for its reply. All else is rmcp's.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::{AsyncRwTransport, DEFAULT_MAX_LINE_LENGTH};
use rmcp::{ErrorData, RoleServer};
use serde::de::IgnoredAny;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

/// A reply on its way. It is kept while it is sent, since [`Transport::receive`] may be dropped at any time.
type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

pub(crate) struct StdioTransport<R: AsyncRead + Unpin, W: AsyncWrite> {
    messages: AsyncRwTransport<RoleServer, WatchedLines<R>, W>,
    /// A token for each line that is no JSON.
    unreadable: UnboundedReceiver<()>,
    sending: Option<Sending>,
}

impl<R, W> StdioTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(input: R, output: W) -> Self {
        let (sender, unreadable) = mpsc::unbounded_channel();
        let lines = WatchedLines { input, line: Vec::new(), unreadable: sender };
        Self { messages: AsyncRwTransport::new(lines, output), unreadable, sending: None }
    }

    /// Without an id: MCP leaves out the id that can't be read.
    fn refuse_line(&mut self) {
        let error = ErrorData::parse_error("The line is no JSON, or longer than 16 MB.", None);
        self.sending = Some(Box::pin(self.messages.send(TxJsonRpcMessage::<RoleServer>::error(error, None))));
    }
}

impl<R, W> Transport<RoleServer> for StdioTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.messages.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(sending) = &mut self.sending {
                // A client that no longer reads is seen when it no longer writes.
                let _ = sending.await;
                self.sending = None;
            }
            tokio::select! {
                biased;
                Some(()) = self.unreadable.recv() => self.refuse_line(),
                message = self.messages.receive() => match message {
                    None if self.unreadable.try_recv().is_ok() => self.refuse_line(),
                    message => return message,
                },
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.messages.close().await
    }
}

/// Input that goes on as it is. Looks at each line of it.
struct WatchedLines<R> {
    input: R,
    /// The beginning of the line that arrives.
    line: Vec<u8>,
    unreadable: UnboundedSender<()>,
}

impl<R: AsyncRead + Unpin> AsyncRead for WatchedLines<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let begin = buffer.filled().len();
        ready!(Pin::new(&mut this.input).poll_read(context, buffer))?;
        for part in buffer.filled()[begin..].split_inclusive(|byte| *byte == b'\n') {
            // What rmcp drops for its length is no JSON without its end.
            let room = DEFAULT_MAX_LINE_LENGTH.saturating_sub(this.line.len());
            this.line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                let line = this.line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&this.line).trim_ascii();
                if !line.is_empty() && serde_json::from_slice::<IgnoredAny>(line).is_err() {
                    // Nobody answers once the transport is gone.
                    let _ = this.unreadable.send(());
                }
                this.line.clear();
            }
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests;
