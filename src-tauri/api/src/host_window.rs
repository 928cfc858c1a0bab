//! The window of a host: which of its commands go to that host, and which are about the window itself or this machine.
//!
//! A window belongs to this machine, where every command is executed here, or to one host of the list. It shows the runs, flows and
//! conversations of that host, and the settings of the person who sits in front of it.

use std::time::Duration;

use futures::StreamExt as _;
use plait_core::id::RunId;
use plait_journal::Entry;
use serde_json::Value;
use tokio::sync::watch;

use crate::codes;
use crate::hosts::{HostEvents, HostWatch, RemoteHost};
use crate::runs::Watch;
use crate::{ErrorReply, Plait, dispatch};

/// What is about the window or this machine: how the window looks, its list of hosts, its drafts, and files that a person chooses here.
const OF_THIS_MACHINE: [&str; 5] = ["settings.", "hosts.", "autosave.", "dialog.", "image."];

/// How often a host is asked whether its list of runs has changed, if it does not say so.
const BOARD_INTERVAL: Duration = Duration::from_secs(2);
/// How often, while it cannot be reached.
const RETRY_INTERVAL: Duration = Duration::from_secs(3);

/// Executes a command of a window: of this machine, or of a host. The errors of the command, `hosts.*`, and those of the host.
pub async fn dispatch_in_window(
    app: &Plait,
    host: Option<&str>,
    name: &str,
    args: Value,
) -> Result<Value, ErrorReply> {
    match host {
        Some(host) if !is_of_this_machine(name) => {
            let reply = app.hosts().connection(host).await?.call(name, &args).await;
            reply.map_err(|error| explained(app, host, name, error))
        }
        _ => dispatch(app, name, args).await,
    }
}

/// Watches a run of a window's host from `from_seq` on. A host that cannot be reached is waited for.
pub async fn watch_in_window(
    app: &Plait,
    host: Option<&str>,
    run: &RunId,
    from_seq: u64,
) -> Result<WindowWatch, ErrorReply> {
    Ok(WindowWatch(match host {
        None => WatchSource::Here(Box::new(app.runs().watch(run, from_seq).await?)),
        Some(host) => {
            let watch = app.hosts().connection(host).await?.watch(run, from_seq, true);
            WatchSource::OnHost(Box::new(watch))
        }
    }))
}

/// The changes of the list of runs that a window shows.
pub fn run_changes_in_window(app: &Plait, host: Option<&str>) -> RunChanges {
    RunChanges(match host {
        None => ChangeSource::Here(app.runs().changes()),
        Some(host) => ChangeSource::OnHost(Box::new(HostBoard {
            app: app.clone(),
            name: host.to_owned(),
            known: None,
            is_due: true,
            listening: Listening::NotYet,
            is_lost: false,
        })),
    })
}

/// A run that a window follows.
pub struct WindowWatch(WatchSource);

enum WatchSource {
    Here(Box<Watch>),
    OnHost(Box<HostWatch>),
}

impl WindowWatch {
    /// As [`Watch::next_batch`].
    pub async fn next_batch(&mut self, frame: Duration) -> Option<Result<Vec<Entry>, ErrorReply>> {
        match &mut self.0 {
            WatchSource::Here(watch) => watch.next_batch(frame).await,
            WatchSource::OnHost(watch) => watch.next_batch(frame).await,
        }
    }
}

/// What tells a window that its list of runs has changed.
pub struct RunChanges(ChangeSource);

enum ChangeSource {
    Here(watch::Receiver<()>),
    OnHost(Box<HostBoard>),
}

impl RunChanges {
    /// Resolves when the list has changed, or why it cannot be read, once for each time that it cannot. A list that can be read again has
    /// changed. `None` when the application ends.
    pub async fn changed(&mut self) -> Option<Result<(), ErrorReply>> {
        match &mut self.0 {
            ChangeSource::Here(changes) => changes.changed().await.ok().map(Ok),
            ChangeSource::OnHost(board) => Some(board.changed().await),
        }
    }
}

/// The latest runs of a host, as far as they are known.
struct HostBoard {
    app: Plait,
    name: String,
    known: Option<String>,
    /// Whether they may have changed since.
    is_due: bool,
    listening: Listening,
    is_lost: bool,
}

/// How a host says that its list of runs has changed.
enum Listening {
    NotYet,
    To(HostEvents),
    /// It is of a version that does not say it.
    Polling,
}

impl HostBoard {
    async fn changed(&mut self) -> Result<(), ErrorReply> {
        loop {
            if !self.is_due {
                self.listen().await;
                self.is_due = true;
            }
            match self.read().await {
                Ok(board) => {
                    (self.is_lost, self.is_due) = (false, false);
                    if self.known.replace(board.clone()).is_none_or(|known| known != board) {
                        return Ok(());
                    }
                }
                Err(error) => {
                    (self.known, self.listening) = (None, Listening::NotYet);
                    self.app.hosts().note_error(&self.name, &error);
                    if !std::mem::replace(&mut self.is_lost, true) {
                        return Err(error);
                    }
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
            }
        }
    }

    /// The list of runs. The host says from before then on when it has changed.
    async fn read(&mut self) -> Result<String, ErrorReply> {
        let host: RemoteHost = self.app.hosts().connection(&self.name).await?;
        if matches!(self.listening, Listening::NotYet) {
            self.listening = host.board_changes().await?.map_or(Listening::Polling, Listening::To);
        }
        host.board().await
    }

    /// Resolves when the list may have changed.
    async fn listen(&mut self) {
        match &mut self.listening {
            Listening::To(events) => {
                let changed = async {
                    while let Some(Ok(event)) = events.next().await {
                        if event.name == "changed" {
                            return true;
                        }
                    }
                    false
                };
                if !changed.await {
                    self.listening = Listening::NotYet;
                    // Else a host that ends each stream at once would be asked without a pause.
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
            }
            Listening::NotYet | Listening::Polling => tokio::time::sleep(BOARD_INTERVAL).await,
        }
    }
}

fn is_of_this_machine(name: &str) -> bool {
    OF_THIS_MACHINE.iter().any(|domain| name.starts_with(domain))
}

/// An error of a host. One of another version may lack a command that this window has.
fn explained(app: &Plait, host: &str, name: &str, error: ErrorReply) -> ErrorReply {
    app.hosts().note_error(host, &error);
    if error.code != codes::COMMAND_UNKNOWN {
        return error;
    }
    let message = format!("The host `{host}` does not have the command `{name}`.");
    ErrorReply::new(codes::COMMAND_UNKNOWN, message)
        .hint("The host is of an older version than this window. Ask who runs it to update it.")
}

#[cfg(test)]
mod tests;
