//! A supervised server: started when it is needed, started again when it ended, and not too often.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use plait_core::error::Fault;
use tokio::time::Instant;

use super::connection::{Connection, Target};
use super::definitions::McpToolChanges;
use super::entry::McpEntry;
use super::log::{McpLogOrigin, ServerLog};
use super::status::McpServerPhase;
use crate::codes;

/// From this many failures in a row on, a server is left alone for [`COOL_DOWN`].
const MAX_FAILURES: u32 = 5;
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(250);
const COOL_DOWN: Duration = Duration::from_mins(1);
/// A server that ends sooner than this after its start has failed.
const STABLE_AFTER: Duration = Duration::from_secs(10);
/// How long closing waits for a start in progress.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// A server of the person, with its connection if it has one.
pub(super) struct Server {
    pub(super) name: String,
    pub(super) entry: McpEntry,
    pub(super) log: Arc<ServerLog>,
    supervision: tokio::sync::Mutex<Supervision>,
    state: Mutex<ConnectionState>,
    /// How its tools differ from the accepted ones, as of the last time they were listed.
    pub(super) changes: Mutex<Option<McpToolChanges>>,
}

#[derive(Default)]
struct Supervision {
    connection: Option<Arc<Connection>>,
    opened_at: Option<Instant>,
    /// Failures in a row.
    failures: u32,
    retry_at: Option<Instant>,
}

#[derive(Default)]
enum ConnectionState {
    #[default]
    Idle,
    /// Since when.
    Starting(Instant),
    Open(Arc<Connection>),
    Failed(Fault),
}

impl Server {
    pub(super) fn new(name: &str, entry: McpEntry) -> Self {
        Self {
            name: name.to_owned(),
            entry,
            log: Arc::default(),
            supervision: tokio::sync::Mutex::default(),
            state: Mutex::default(),
            changes: Mutex::default(),
        }
    }

    /// The open connection, or a new one to `target`. Waits between attempts that fail. Faults `mcp.*`.
    pub(super) async fn connection(
        &self,
        target: impl Future<Output = Result<Target, Fault>>,
    ) -> Result<Arc<Connection>, Fault> {
        let mut supervision = self.supervision.lock().await;
        let supervision = &mut *supervision;
        if let Some(connection) = &supervision.connection {
            if connection.is_open() {
                return Ok(Arc::clone(connection));
            }
            self.log.push(McpLogOrigin::Plait, "The connection ended. The server is started again.");
            supervision.connection = None;
            let was_stable = supervision.opened_at.is_some_and(|at| at.elapsed() >= STABLE_AFTER);
            if was_stable {
                supervision.failures = 0;
            } else {
                supervision.add_failure();
            }
        }
        supervision.wait_for_turn(&self.name).await?;
        *self.state.lock() = ConnectionState::Starting(Instant::now());
        // A caller that gives up leaves no server that starts for ever.
        let starting = ResetOnDrop(self);
        let opened = match target.await {
            Ok(target) => Connection::open(&self.name, target, Arc::clone(&self.log)).await,
            Err(fault) => Err(fault),
        };
        std::mem::forget(starting);
        match opened {
            Ok(connection) => {
                let connection = Arc::new(connection);
                self.log.push(McpLogOrigin::Plait, "Connected.");
                supervision.connection = Some(Arc::clone(&connection));
                supervision.opened_at = Some(Instant::now());
                *self.state.lock() = ConnectionState::Open(Arc::clone(&connection));
                Ok(connection)
            }
            Err(fault) => {
                self.log.push(McpLogOrigin::Plait, &fault.message);
                supervision.add_failure();
                *self.state.lock() = ConnectionState::Failed(fault.clone());
                Err(fault)
            }
        }
    }

    /// Forgets earlier failures: the person wants another attempt.
    pub(super) async fn forgive(&self) {
        let mut supervision = self.supervision.lock().await;
        supervision.failures = 0;
        supervision.retry_at = None;
    }

    /// Ends the connection and the process.
    pub(super) async fn close(&self) {
        let Ok(mut supervision) = tokio::time::timeout(CLOSE_TIMEOUT, self.supervision.lock()).await else {
            return;
        };
        if let Some(connection) = supervision.connection.take() {
            connection.close().await;
        }
        *supervision = Supervision::default();
        *self.state.lock() = ConnectionState::Idle;
    }

    /// What it does now.
    pub(super) fn phase(&self) -> McpServerPhase {
        match &*self.state.lock() {
            ConnectionState::Idle => McpServerPhase::Idle,
            ConnectionState::Starting(_) => McpServerPhase::Starting,
            ConnectionState::Open(connection) if connection.is_open() => McpServerPhase::Connected,
            ConnectionState::Open(_) => McpServerPhase::Ended,
            ConnectionState::Failed(_) => McpServerPhase::Failed,
        }
    }

    /// How long it has been starting, if it is.
    pub(super) fn starting_for(&self) -> Option<Duration> {
        match &*self.state.lock() {
            ConnectionState::Starting(since) => Some(since.elapsed()),
            _ => None,
        }
    }

    pub(super) fn fault(&self) -> Option<Fault> {
        match &*self.state.lock() {
            ConnectionState::Failed(fault) => Some(fault.clone()),
            _ => None,
        }
    }
}

impl Supervision {
    fn add_failure(&mut self) {
        self.failures = self.failures.saturating_add(1);
        let delay = if self.failures >= MAX_FAILURES {
            COOL_DOWN
        } else {
            FIRST_RETRY_DELAY * 2_u32.pow(self.failures.saturating_sub(1))
        };
        self.retry_at = Some(Instant::now() + delay);
    }

    /// Waits until the next attempt may be made. `mcp.backing_off` if that is long.
    async fn wait_for_turn(&mut self, name: &str) -> Result<(), Fault> {
        let Some(retry_at) = self.retry_at else { return Ok(()) };
        let left = retry_at.saturating_duration_since(Instant::now());
        if self.failures >= MAX_FAILURES && !left.is_zero() {
            let message = format!(
                "The MCP server `{name}` failed {} times in a row; it is not started for {} more seconds.",
                self.failures,
                left.as_secs() + 1
            );
            return Err(Fault::new(codes::MCP_BACKING_OFF, message).hint(format!(
                "Read its log with `plait mcp log {name}`, then connect it under *MCP servers*."
            )));
        }
        tokio::time::sleep_until(retry_at).await;
        self.retry_at = None;
        Ok(())
    }
}

/// Resets the state of a server when its start was abandoned.
struct ResetOnDrop<'a>(&'a Server);

impl Drop for ResetOnDrop<'_> {
    fn drop(&mut self) {
        *self.0.state.lock() = ConnectionState::Idle;
    }
}

#[cfg(test)]
mod tests;
