//! Everything the page can ask of the process: one command for all of Plait's, one pair to watch a run, one to close.
//!
//! Adds nothing to what `plait-api` says; only carries it.

use plait_api::engine::error::ErrorCode;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use plait_api::engine::id::RunId;
use plait_api::engine::journal::Entry;
use plait_api::{ErrorReply, Plait};
use serde_json::Value;
use tauri::ipc::Channel;
use tauri::{State, WebviewWindow};
use tokio::sync::oneshot;

/// A channel holds nothing back, so events are sent once a frame at most.
const FRAME: Duration = Duration::from_millis(16);

/// The watches that are going on, by the id of their channel.
#[derive(Default)]
pub(crate) struct Watches(Mutex<HashMap<u32, oneshot::Sender<()>>>);

impl Watches {
    /// Ends one.
    fn end(&self, channel: u32) {
        self.with(|watches| watches.remove(&channel));
    }

    /// Ends all: the page that had them is gone.
    pub(crate) fn end_all(&self) {
        self.with(HashMap::clear);
    }

    fn begin(&self, channel: u32) -> oneshot::Receiver<()> {
        let (sender, ended) = oneshot::channel();
        self.with(|watches| watches.insert(channel, sender));
        ended
    }

    fn with<T>(&self, act: impl FnOnce(&mut HashMap<u32, oneshot::Sender<()>>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Carries out one of Plait's commands.
#[tauri::command]
pub(crate) async fn rpc(
    plait: State<'_, Arc<Plait>>,
    name: String,
    args: Value,
) -> Result<Value, ErrorReply> {
    plait_api::dispatch(&plait, &name, args).await
}

/// Sends a run's journal from `from_seq`, then what happens live. Answers when the run or the watch has ended; an error
/// when the run is unknown or its journal breaks off.
#[tauri::command]
pub(crate) async fn watch(
    plait: State<'_, Arc<Plait>>,
    watches: State<'_, Watches>,
    run: RunId,
    from_seq: u64,
    channel: Channel<Vec<Entry>>,
) -> Result<(), ErrorReply> {
    let mut ended = watches.begin(channel.id());
    let sending = async {
        let mut watch = plait.runs().watch(&run, from_seq).await?;
        while let Some(batch) = watch.next_batch(FRAME).await {
            if channel.send(batch?).is_err() {
                break;
            }
        }
        Ok(())
    };
    let done = tokio::select! {
        done = sending => done,
        _ = &mut ended => Ok(()),
    };
    watches.end(channel.id());
    done
}

/// Ends the watch of that channel. No error if it has ended.
#[allow(clippy::needless_pass_by_value, reason = "Tauri hands commands their arguments by value")]
#[tauri::command]
pub(crate) fn unwatch(watches: State<'_, Watches>, channel: u32) {
    watches.end(channel);
}

/// The page's answer to being closed: `now`, or when it has asked the person.
#[allow(clippy::needless_pass_by_value, reason = "Tauri hands commands their arguments by value")]
#[tauri::command]
pub(crate) fn closing(window: WebviewWindow, now: bool) -> Result<(), ErrorReply> {
    crate::window::answered(&window, now).map_err(|error| {
        ErrorReply::new(ErrorCode::WindowClose, format!("The window could not be closed: {error}."))
    })
}
