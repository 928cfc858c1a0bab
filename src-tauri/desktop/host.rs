//! The application inside the window: opened with the system's dialogs, closed with everything on disk.
//!
//! Dialogs are shown from here, so that the page needs no right to show any.

use plait_api::engine::error::ErrorCode;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use plait_api::tokens::CountTokens;
use plait_api::{Dialogs, ErrorReply, Options, Plait};
use tauri::{AppHandle, Manager};
use tauri_plugin_dialog::{DialogExt, FileDialogBuilder, FilePath};
use tokio::sync::oneshot;

/// Answers every file dialog in debug builds, so that tests can save and open without one.
const DIALOG_ANSWER: &str = "PLAIT_TEST_DIALOG";

/// The window is painted by then.
const AFTER_PAINT: Duration = Duration::from_secs(2);

/// How long closing may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Opens Plait on the data directory that `PLAIT_HOME` names, else the platform's.
pub(crate) fn open(app: &AppHandle) -> Result<Arc<Plait>, ErrorReply> {
    let home = plait_api::data_dir(std::env::var_os("PLAIT_HOME").map(PathBuf::from))?;
    let mut options = Options::new(home);
    options.dialogs = Some(match test_answer() {
        Some(path) => Arc::new(Answer(path)),
        None => Arc::new(Native(app.clone())),
    });
    // Live runs need the runtime from the first moment.
    let _inside = tauri::async_runtime::handle().inner().enter();
    let plait = Plait::open(options).map(Arc::new)?;
    tauri::async_runtime::spawn(read_ahead(Arc::clone(&plait)));
    Ok(plait)
}

/// Has the tokeniser's table read, which takes a tenth of a second once, before the first model call waits for it and after
/// the window is painted.
async fn read_ahead(plait: Arc<Plait>) {
    tokio::time::sleep(AFTER_PAINT).await;
    let count = CountTokens { model: String::new(), text: "word".to_owned() };
    // It is only to have been done.
    let _ = plait.call(count).await;
}

/// Leaves all runs where they are, and waits until everything that was written is on disk. Not for ever: what was flushed
/// before is safe in any case.
pub(crate) fn close(app: &AppHandle) {
    let Some(plait) = app.try_state::<Arc<Plait>>() else { return };
    let closing = async { tokio::time::timeout(PATIENCE, plait.close()).await };
    if let Ok(Err(error)) = tauri::async_runtime::block_on(closing) {
        eprintln!("error[{}]: {}", error.code, error.message);
    }
}

fn test_answer() -> Option<PathBuf> {
    if cfg!(debug_assertions) { std::env::var_os(DIALOG_ANSWER).map(PathBuf::from) } else { None }
}

/// The system's dialogs.
struct Native(AppHandle);

#[async_trait]
impl Dialogs for Native {
    async fn open(&self) -> Result<Option<String>, ErrorReply> {
        self.ask(|dialog, done| {
            dialog.set_title("Open a flow").add_filter("Plait flows", &["json"]).pick_file(done);
        })
        .await
    }

    async fn save(&self, suggested: &str) -> Result<Option<String>, ErrorReply> {
        // Conversations are saved too, also as Markdown.
        let is_markdown =
            std::path::Path::new(suggested).extension().is_some_and(|extension| extension == "md");
        let (kind, extension) = if is_markdown { ("Markdown", "md") } else { ("JSON", "json") };
        self.ask(|dialog, done| {
            dialog
                .set_title("Save as")
                .add_filter(kind, &[extension])
                .set_file_name(suggested)
                .save_file(done);
        })
        .await
    }
}

impl Native {
    async fn ask(
        &self,
        show: impl FnOnce(FileDialogBuilder<tauri::Wry>, Box<dyn FnOnce(Option<FilePath>) + Send>),
    ) -> Result<Option<String>, ErrorReply> {
        let (sender, answer) = oneshot::channel();
        let mut dialog = self.0.dialog().file();
        if let Some(window) = self.0.get_webview_window(crate::window::LABEL) {
            dialog = dialog.set_parent(&window);
        }
        show(dialog, Box::new(move |path| drop(sender.send(path))));
        // A dialog that goes away without an answer was closed.
        let Ok(Some(path)) = answer.await else { return Ok(None) };
        let path = path.into_path().map_err(|error| {
            ErrorReply::new(
                ErrorCode::DialogNotAFile,
                format!("What was chosen is not a file on this machine: {error}."),
            )
            .hint("Choose a file in an ordinary folder.")
        })?;
        text(path).map(Some)
    }
}

/// Always the same answer.
struct Answer(PathBuf);

#[async_trait]
impl Dialogs for Answer {
    async fn open(&self) -> Result<Option<String>, ErrorReply> {
        text(self.0.clone()).map(Some)
    }

    async fn save(&self, _suggested: &str) -> Result<Option<String>, ErrorReply> {
        text(self.0.clone()).map(Some)
    }
}

/// Paths travel as JSON strings.
fn text(path: PathBuf) -> Result<String, ErrorReply> {
    path.into_os_string().into_string().map_err(|path| {
        ErrorReply::new(
            ErrorCode::DialogNotUnicode,
            format!("The name of `{}` is not valid Unicode, so it cannot be used here.", path.display()),
        )
        .hint("Rename it, or choose another place.")
    })
}
