//! The file dialogs of the system. They are shown by the process, so that the page needs no permission for them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use plait_api::{Dialogs, ErrorReply};
use tauri::AppHandle;
use tauri_plugin_dialog::{DialogExt, FileDialogBuilder, FilePath};
use tokio::sync::oneshot;

use crate::codes;
use crate::{environment, window};

/// The dialogs of the system, or of a test.
pub(crate) fn system_dialogs(app: &AppHandle) -> Arc<dyn Dialogs> {
    match environment::test_dialog() {
        Some(path) => Arc::new(FixedDialogs(path)),
        None => Arc::new(NativeDialogs(app.clone())),
    }
}

struct NativeDialogs(AppHandle);

#[async_trait]
impl Dialogs for NativeDialogs {
    async fn open(&self, title: Option<&str>) -> Result<Option<String>, ErrorReply> {
        self.show(|dialog, done| {
            dialog
                .set_title(title.unwrap_or("Open flow"))
                .add_filter("Plait flows", &["json", "yaml", "yml", "rivet-project"])
                .add_filter("Recordings", &["plait-recording"])
                .pick_file(done);
        })
        .await
    }

    async fn folder(&self) -> Result<Option<String>, ErrorReply> {
        self.show(|dialog, done| dialog.set_title("Choose folder").pick_folder(done)).await
    }

    async fn save(&self, suggested: &str) -> Result<Option<String>, ErrorReply> {
        // Exported conversations may be Markdown, flows pipelines in YAML, and a flow may be saved as an image.
        let (filter, extension) =
            match Path::new(suggested).extension().and_then(|extension| extension.to_str()) {
                Some("svg") => ("SVG image", "svg"),
                Some("png") => ("PNG image", "png"),
                Some("md") => ("Markdown", "md"),
                Some("yaml") => ("YAML", "yaml"),
                Some("yml") => ("YAML", "yml"),
                Some("plait-recording") => ("Recordings", "plait-recording"),
                _ => ("JSON", "json"),
            };
        self.show(|dialog, done| {
            dialog
                .set_title("Save as")
                .add_filter(filter, &[extension])
                .set_file_name(suggested)
                .save_file(done);
        })
        .await
    }
}

impl NativeDialogs {
    async fn show(
        &self,
        show: impl FnOnce(FileDialogBuilder<tauri::Wry>, Box<dyn FnOnce(Option<FilePath>) + Send>),
    ) -> Result<Option<String>, ErrorReply> {
        let (sender, receiver) = oneshot::channel();
        let mut dialog = self.0.dialog().file();
        if let Some(window) = window::current(&self.0) {
            dialog = dialog.set_parent(&window);
        }
        show(dialog, Box::new(move |path| drop(sender.send(path))));
        // A dropped sender means that the dialog was closed.
        let Ok(Some(path)) = receiver.await else { return Ok(None) };
        let path = path.into_path().map_err(|error| {
            ErrorReply::new(
                codes::DIALOG_NOT_A_FILE,
                format!("The selected item is not a file on this computer: {error}."),
            )
            .hint("Select a file in a local folder.")
        })?;
        into_text(path).map(Some)
    }
}

/// Returns the same path for every dialog.
struct FixedDialogs(PathBuf);

#[async_trait]
impl Dialogs for FixedDialogs {
    async fn open(&self, _title: Option<&str>) -> Result<Option<String>, ErrorReply> {
        into_text(self.0.clone()).map(Some)
    }

    async fn folder(&self) -> Result<Option<String>, ErrorReply> {
        into_text(self.0.clone()).map(Some)
    }

    async fn save(&self, _suggested: &str) -> Result<Option<String>, ErrorReply> {
        into_text(self.0.clone()).map(Some)
    }
}

/// The path as text. Paths are sent to the page as JSON strings.
fn into_text(path: PathBuf) -> Result<String, ErrorReply> {
    path.into_os_string().into_string().map_err(|path| {
        ErrorReply::new(
            codes::DIALOG_NOT_UNICODE,
            format!("The file name `{}` is not valid Unicode and is not supported.", path.display()),
        )
        .hint("Rename the file, or select another one.")
    })
}
