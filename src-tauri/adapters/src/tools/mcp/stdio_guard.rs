//! Watches the standard output of a server, to notice servers that flood it or write other text than messages.
//!
//! The SDK drops lines that are too long and lines that are no JSON silently; a caller would wait for its timeout.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use parking_lot::Mutex;
use plait_core::error::ErrorCode;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::watch;

use super::log::{McpLogOrigin, ServerLog, cut};
use crate::codes;

/// The longest message: the SDK's own limit, also for messages over HTTP.
pub(super) const MAX_MESSAGE_BYTES: usize = 16 << 20;
/// How much a server may write without a single message among it.
const MAX_INVALID_BYTES: usize = 64 << 20;
const MAX_INVALID_LINES: usize = 10_000;
/// How many lines that are no message are logged in a row.
const MAX_LOGGED_INVALID_LINES: usize = 20;
/// How much of a line is looked at.
const LINE_START_BYTES: usize = 200;

/// Findings about a server's output.
pub(super) struct StdoutGuard {
    counts: Mutex<Counts>,
    log: Arc<ServerLog>,
    /// How many messages were dropped because they are too long.
    pub(super) oversized: watch::Sender<u64>,
}

#[derive(Default)]
struct Counts {
    line_start: Vec<u8>,
    line_bytes: usize,
    /// Since the last message.
    invalid_lines: usize,
    invalid_bytes: usize,
    /// Why nothing more is read.
    verdict: Option<ErrorCode>,
}

impl StdoutGuard {
    pub(super) fn new(log: Arc<ServerLog>) -> Arc<Self> {
        Arc::new(Self { counts: Mutex::default(), log, oversized: watch::Sender::new(0) })
    }

    /// Why the output was closed, if Plait did it.
    pub(super) fn verdict(&self) -> Option<ErrorCode> {
        self.counts.lock().verdict.clone()
    }

    fn on_message(&self) {
        let mut counts = self.counts.lock();
        (counts.invalid_lines, counts.invalid_bytes) = (0, 0);
    }

    /// Counts received bytes. Returns whether reading goes on.
    fn on_read(&self, bytes: &[u8]) -> bool {
        let mut counts = self.counts.lock();
        let counts = &mut *counts;
        if counts.verdict.is_some() {
            return false;
        }
        counts.invalid_bytes += bytes.len();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let was_within = counts.line_bytes <= MAX_MESSAGE_BYTES;
            counts.line_bytes += part.len();
            let room = LINE_START_BYTES.saturating_sub(counts.line_start.len());
            counts.line_start.extend_from_slice(&part[..part.len().min(room)]);
            if was_within && counts.line_bytes > MAX_MESSAGE_BYTES {
                self.log.push(McpLogOrigin::Plait, "Dropped a message of more than 16 MB.");
                self.oversized.send_modify(|count| *count += 1);
            }
            if part.ends_with(b"\n") {
                counts.invalid_lines += 1;
                self.log_invalid_line(&counts.line_start, counts.invalid_lines);
                counts.line_start.clear();
                counts.line_bytes = 0;
            }
        }
        if counts.invalid_bytes > MAX_INVALID_BYTES || counts.invalid_lines > MAX_INVALID_LINES {
            let is_endless = counts.line_bytes > MAX_MESSAGE_BYTES;
            counts.verdict = Some(if is_endless { codes::MCP_TOO_LARGE } else { codes::MCP_INVALID_MESSAGE });
            self.log
                .push(McpLogOrigin::Plait, "Closed the connection: the server writes what is no message.");
            return false;
        }
        true
    }

    fn log_invalid_line(&self, line: &[u8], count: usize) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        if count <= MAX_LOGGED_INVALID_LINES && !text.is_empty() && !text.starts_with(['{', '[']) {
            self.log.push(McpLogOrigin::Stdout, &cut(text, LINE_START_BYTES));
        }
    }
}

/// The standard output of a server, counted.
pub(super) struct GuardedStdout {
    stdout: ChildStdout,
    guard: Arc<StdoutGuard>,
}

impl AsyncRead for GuardedStdout {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stdout).poll_read(context, buffer);
        if matches!(polled, Poll::Ready(Ok(()))) && !self.guard.on_read(&buffer.filled()[before..]) {
            // As if the server had closed it.
            buffer.set_filled(before);
        }
        polled
    }
}

/// Messages over the standard input and output of a process.
pub(super) struct StdioTransport {
    inner: AsyncRwTransport<RoleClient, GuardedStdout, ChildStdin>,
    guard: Arc<StdoutGuard>,
}

impl StdioTransport {
    pub(super) fn new(stdout: ChildStdout, stdin: ChildStdin, guard: Arc<StdoutGuard>) -> Self {
        let stdout = GuardedStdout { stdout, guard: Arc::clone(&guard) };
        let inner = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MAX_MESSAGE_BYTES);
        Self { inner, guard }
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await;
        self.guard.on_message();
        message
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}
