//! The Tauri commands of the page: `rpc` for every command of the api, `watch` and `unwatch` for runs, and those about
//! windows.
//!
//! Only transports the replies of `plait-api`.

use std::time::Duration;

use plait_api::{
    ErrorReply, dispatch_in_window, from_window_json, run_changes_in_window, to_window_json, watch_in_window,
};
use plait_core::id::RunId;
use serde_json::{Value, json};
use tauri::ipc::{Channel, InvokeResponseBody, Response};
use tauri::{AppHandle, Manager, State, WebviewWindow};

use crate::args::InitialFlow;
use crate::codes;
use crate::open_files::OpenFiles;
use crate::open_requests::OpenRequests;
use crate::startup::{Progress, Startup};
use crate::watches::Watches;
use crate::window;

/// The minimum time between two batches of events. A channel does no batching of its own.
const FRAME: Duration = Duration::from_millis(16);

/// The minimum time between two words that the list of runs has changed.
const RUNS_INTERVAL: Duration = Duration::from_millis(100);

/// Executes a command of the api, or of the host that the window belongs to.
#[tauri::command]
pub(crate) async fn rpc(
    startup: State<'_, Startup>,
    host: Option<String>,
    name: String,
    args: Value,
) -> Result<Response, ErrorReply> {
    let plait = startup.application().await?;
    let reply = dispatch_in_window(&plait, host.as_deref(), &name, from_window_json(args)).await?;
    Ok(Response::new(to_window_json(&reply)?))
}

/// Sends the journal of a run from `from_seq`, then its events as they happen. Resolves when the run or the watch has ended.
/// Fails when the run is unknown or its journal is damaged.
#[tauri::command]
pub(crate) async fn watch(
    window: WebviewWindow,
    startup: State<'_, Startup>,
    watches: State<'_, Watches>,
    host: Option<String>,
    run: RunId,
    from_seq: u64,
    channel: Channel<InvokeResponseBody>,
) -> Result<(), ErrorReply> {
    let mut stopped = watches.start(window.label(), channel.id());
    let sending = async {
        let plait = startup.application().await?;
        let mut watch = watch_in_window(&plait, host.as_deref(), &run, from_seq).await?;
        while let Some(batch) = watch.next_batch(FRAME).await {
            if channel.send(InvokeResponseBody::Json(to_window_json(&batch?)?)).is_err() {
                break;
            }
        }
        Ok(())
    };
    let result = tokio::select! {
        result = sending => result,
        _ = &mut stopped => Ok(()),
    };
    watches.stop(window.label(), channel.id());
    result
}

/// Says through a channel when the list of runs has changed, also by a terminal; for a window of a host, also why it cannot be read.
/// Resolves when the watch has ended.
#[tauri::command]
pub(crate) async fn watch_runs(
    window: WebviewWindow,
    startup: State<'_, Startup>,
    watches: State<'_, Watches>,
    host: Option<String>,
    channel: Channel<Option<ErrorReply>>,
) -> Result<(), ErrorReply> {
    let mut stopped = watches.start(window.label(), channel.id());
    let sending = async {
        let plait = startup.application().await?;
        let mut changes = run_changes_in_window(&plait, host.as_deref());
        while let Some(change) = changes.changed().await {
            if channel.send(change.err()).is_err() {
                break;
            }
            tokio::time::sleep(RUNS_INTERVAL).await;
        }
        Ok(())
    };
    let result = tokio::select! {
        result = sending => result,
        _ = &mut stopped => Ok(()),
    };
    watches.stop(window.label(), channel.id());
    result
}

/// Stops the watch of a channel. Does nothing when it has ended.
#[allow(clippy::needless_pass_by_value, reason = "Tauri passes arguments by value")]
#[tauri::command]
pub(crate) fn unwatch(window: WebviewWindow, watches: State<'_, Watches>, channel: u32) {
    watches.stop(window.label(), channel);
}

/// Resolves when the application is open, and sends how far that is until then. Fails with what kept it from opening.
#[tauri::command]
pub(crate) async fn opened(startup: State<'_, Startup>, channel: Channel<Value>) -> Result<(), ErrorReply> {
    startup
        .follow(FRAME, |Progress { done, total }| {
            channel.send(json!({ "done": done, "total": total })).is_ok()
        })
        .await
}

/// The page's answer to a request to close the window: `now`, or only after it has asked the person.
#[allow(clippy::needless_pass_by_value, reason = "Tauri passes arguments by value")]
#[tauri::command]
pub(crate) fn closing(window: WebviewWindow, now: bool) -> Result<(), ErrorReply> {
    window::answer_close_request(&window, now).map_err(|error| {
        ErrorReply::new(codes::WINDOW_CLOSE, format!("The window could not be closed: {error}."))
    })
}

/// From now on, the page is sent what other starts of Plait ask for.
#[allow(clippy::needless_pass_by_value, reason = "Tauri passes arguments by value")]
#[tauri::command]
pub(crate) fn take_requests(
    window: WebviewWindow,
    requests: State<'_, OpenRequests>,
    channel: Channel<InitialFlow>,
) {
    requests.listen(window.label(), channel);
}

/// The page has these files open now, by their paths as `flow.open` gives them.
#[allow(clippy::needless_pass_by_value, reason = "Tauri passes arguments by value")]
#[tauri::command]
pub(crate) fn report_files(window: WebviewWindow, files: State<'_, OpenFiles>, paths: Vec<String>) {
    files.set(window.label(), paths);
}

/// Shows a file in the other window that has it open. Returns whether there is one.
#[allow(clippy::needless_pass_by_value, reason = "Tauri passes arguments by value")]
#[tauri::command]
pub(crate) fn show_elsewhere(window: WebviewWindow, files: State<'_, OpenFiles>, path: String) -> bool {
    let Some(other) = files.in_another(window.label(), &path) else { return false };
    window::show_in(window.app_handle(), &other, InitialFlow::File(path.into()))
}

/// Opens another window: of this machine or a host, and with a run to show. Not on the main thread, where creating a webview would wait
/// for itself on Windows.
#[tauri::command]
pub(crate) async fn new_window(
    app: AppHandle,
    host: Option<String>,
    run: Option<RunId>,
) -> Result<(), ErrorReply> {
    window::open_another(&app, host.as_deref(), run.as_ref()).map_err(|error| {
        ErrorReply::new(codes::WINDOW_OPEN, format!("The window could not be opened: {error}."))
            .hint("Open the flow in a tab of this window instead.")
    })
}
