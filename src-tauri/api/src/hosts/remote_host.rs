//! The application of a host, over HTTP.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::BoxStream;
use plait_adapters::hosts::{HostClient, HostEvent, HostReply};
use plait_core::id::RunId;
use plait_journal::Entry;
use plait_journal::view::RunStatus;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::host_commands::HostCommand;
use crate::codes;
use crate::{ErrorReply, from_window_json, to_window_json};

/// How long a host may take, at most, until it says again that a run goes on, in seconds.
const WAIT_SECONDS: u32 = 60;
/// How often a stream that was cut off is begun again without an event in between.
const MAX_RECONNECTS: u32 = 5;
const RECONNECT_DELAY: Duration = Duration::from_secs(1);
/// How many of the latest runs are compared to find out whether the list has changed.
const BOARD_RUNS: u32 = 100;
/// The largest batch of entries.
const MAX_BATCH_ENTRIES: usize = 2_000;

/// Events as they arrive. The last one is an error if the connection was lost.
pub(crate) type HostEvents = BoxStream<'static, Result<HostEvent, ()>>;

#[derive(Clone)]
pub(crate) struct RemoteHost(Arc<HostClient>);

/// What is read of how a run stands.
#[derive(Deserialize)]
struct Standing {
    status: RunStatus,
}

/// What is read of a run.
#[derive(Deserialize)]
struct Detail {
    entries: Vec<IgnoredAny>,
}

/// The body of a refusal.
#[derive(Deserialize)]
struct Refusal {
    error: ErrorReply,
}

impl RemoteHost {
    pub(crate) fn new(client: HostClient) -> Self {
        Self(Arc::new(client))
    }

    /// Its name in the list of hosts.
    pub(crate) fn name(&self) -> &str {
        self.0.name()
    }

    /// Executes a command. Its own errors, `hosts.unreachable` and those of the host: `host.*`.
    pub(crate) async fn call(&self, name: &str, args: &impl Serialize) -> Result<Value, ErrorReply> {
        let reply = self.0.post(&format!("/commands/{name}"), to_window_json(args)?).await?;
        self.parsed(&reply)
    }

    /// Executes a command that only hosts have.
    pub(crate) async fn execute<C: HostCommand>(&self, command: C) -> Result<C::Reply, ErrorReply> {
        parsed(self.call(C::NAME, &command).await?)
    }

    /// Begins a run of a published flow.
    pub(crate) async fn run_published(&self, name: &str, args: &impl Serialize) -> Result<RunId, ErrorReply> {
        let reply = self.0.begin_run(&format!("/flows/{name}/runs"), to_window_json(args)?).await?;
        match &reply.run {
            Some(run) if reply.is_success => Ok(RunId::from(run.clone())),
            _ => Err(self.refusal(&reply)),
        }
    }

    /// Watches a run. A watch that is `endless` never gives a host up that cannot be reached.
    pub(crate) fn watch(&self, run: &RunId, from: u64, is_endless: bool) -> HostWatch {
        HostWatch {
            host: self.clone(),
            run: run.clone(),
            next: from,
            events: None,
            reconnects: 0,
            is_endless,
            is_over: false,
            failed: None,
        }
    }

    /// The board of the host, as it answers. It differs when a run has begun, turned or ended.
    pub(crate) async fn board(&self) -> Result<String, ErrorReply> {
        let reply = self.0.get(&format!("/runs?limit={BOARD_RUNS}")).await?;
        if reply.is_success { Ok(reply.body) } else { Err(self.refusal(&reply)) }
    }

    /// The events that say when the board may have changed; none if the host is of a version without them.
    pub(crate) async fn board_changes(&self) -> Result<Option<HostEvents>, ErrorReply> {
        match self.0.events("/runs/changes", None).await? {
            Ok(events) => Ok(Some(events)),
            // There the last part of the address is taken for the name of a run.
            Err(refused) => match self.refusal(&refused) {
                error if error.code.domain() == "run" => Ok(None),
                error => Err(error),
            },
        }
    }

    /// Resolves when a run has ended or can go on only by what a person does, with the number after its last event.
    pub(crate) async fn idle(&self, run: &RunId) -> Result<u64, ErrorReply> {
        self.until(run, |status| !matches!(status, RunStatus::Running | RunStatus::Interrupted)).await?;
        let detail: Detail = parsed(self.call("runs.show", &serde_json::json!({ "run": run })).await?)?;
        Ok(detail.entries.len() as u64)
    }

    /// Resolves when a run has ended or is not driven.
    pub(crate) async fn settled(&self, run: &RunId) -> Result<(), ErrorReply> {
        self.until(run, |status| status != RunStatus::Running).await
    }

    async fn until(&self, run: &RunId, is_it: impl Fn(RunStatus) -> bool) -> Result<(), ErrorReply> {
        loop {
            let reply = self.0.get(&format!("/runs/{run}?wait={WAIT_SECONDS}")).await?;
            let Standing { status } = parsed(self.parsed(&reply)?)?;
            if is_it(status) {
                return Ok(());
            }
            tokio::time::sleep(RECONNECT_DELAY).await;
        }
    }

    fn parsed(&self, reply: &HostReply) -> Result<Value, ErrorReply> {
        if !reply.is_success {
            return Err(self.refusal(reply));
        }
        serde_json::from_str(&reply.body).map(from_window_json).map_err(|_| self.other_server())
    }

    /// Why a host did not do what was asked.
    fn refusal(&self, reply: &HostReply) -> ErrorReply {
        let refusal = serde_json::from_str::<Refusal>(&reply.body);
        refusal.map_or_else(|_| self.other_server(), |refusal| refusal.error)
    }

    fn other_server(&self) -> ErrorReply {
        let message =
            format!("What answers at the address of the host `{}` is no host of Plait.", self.0.name());
        ErrorReply::new(codes::HOSTS_OTHER_SERVER, message)
            .hint("Check its address: `plait hosts list`. A proxy in between may have answered.")
    }
}

/// A run on a host, being watched.
pub(crate) struct HostWatch {
    host: RemoteHost,
    run: RunId,
    /// The number of the next event.
    next: u64,
    events: Option<HostEvents>,
    reconnects: u32,
    /// Whether it waits for a host that cannot be reached as long as that takes.
    is_endless: bool,
    is_over: bool,
    /// What the next call returns.
    failed: Option<ErrorReply>,
}

impl HostWatch {
    /// As `Watch::next_batch`, but partial output is not merged: what is slow is the way from the host.
    pub(crate) async fn next_batch(&mut self, frame: Duration) -> Option<Result<Vec<Entry>, ErrorReply>> {
        if let Some(error) = self.failed.take() {
            return Some(Err(error));
        }
        let mut batch = match self.next().await? {
            Ok(first) => vec![first],
            Err(error) => return Some(Err(error)),
        };
        let end = tokio::time::Instant::now() + frame;
        while batch.len() < MAX_BATCH_ENTRIES {
            match tokio::time::timeout_at(end, self.next()).await {
                Ok(Some(Ok(entry))) => batch.push(entry),
                Ok(Some(Err(error))) => {
                    self.failed = Some(error);
                    break;
                }
                Ok(None) | Err(_) => break,
            }
        }
        Some(Ok(batch))
    }

    /// As `Watch::next`. A stream that was cut off is begun again behind the last event.
    pub(crate) async fn next(&mut self) -> Option<Result<Entry, ErrorReply>> {
        loop {
            if self.is_over {
                return None;
            }
            let event = match &mut self.events {
                Some(events) => events.next().await,
                None => match self.connect().await {
                    Ok(()) => continue,
                    Err(error) => return Some(self.fail(error)),
                },
            };
            let Some(Ok(event)) = event else {
                self.events = None;
                // Else a host that ends each stream at once would be asked without a pause.
                tokio::time::sleep(RECONNECT_DELAY).await;
                continue;
            };
            match self.take(&event) {
                Ok(Some(entry)) => return Some(Ok(entry)),
                Ok(None) => {}
                Err(error) => return Some(self.fail(error)),
            }
        }
    }

    async fn connect(&mut self) -> Result<(), ErrorReply> {
        loop {
            let after = self.next.checked_sub(1);
            let path = format!("/runs/{}/events", self.run);
            match self.host.0.events(&path, after).await {
                Ok(Ok(events)) => {
                    self.events = Some(events);
                    return Ok(());
                }
                Ok(Err(refused)) => return Err(self.host.refusal(&refused)),
                Err(error) if self.reconnects >= MAX_RECONNECTS && !self.is_endless => {
                    return Err(error.into());
                }
                Err(_) => {}
            }
            self.reconnects = self.reconnects.saturating_add(1);
            tokio::time::sleep(RECONNECT_DELAY).await;
        }
    }

    fn take(&mut self, event: &HostEvent) -> Result<Option<Entry>, ErrorReply> {
        match event.name.as_str() {
            "entry" => {
                let value = serde_json::from_str(&event.data).map_err(|_| self.host.other_server())?;
                let entry: Entry = parsed(from_window_json(value))?;
                self.reconnects = 0;
                if let Some(seq) = entry.seq {
                    self.next = seq + 1;
                }
                Ok(Some(entry))
            }
            "end" => {
                self.is_over = true;
                Ok(None)
            }
            "error" => Err(serde_json::from_str(&event.data).unwrap_or_else(|_| self.host.other_server())),
            _ => Ok(None),
        }
    }

    fn fail(&mut self, error: ErrorReply) -> Result<Entry, ErrorReply> {
        self.is_over = true;
        Err(error)
    }
}

fn parsed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorReply> {
    serde_json::from_value(value).map_err(|error| {
        ErrorReply::new(codes::COMMAND_REPLY, format!("The reply of the host cannot be read: {error}."))
            .hint("The host and this program may be of different versions.")
    })
}
