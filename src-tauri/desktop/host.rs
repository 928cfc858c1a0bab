//! The application inside the window: opened at startup, beside the window, and closed with everything on disk.

use std::sync::Arc;
use std::time::Duration;

use plait_api::tokens::CountTokens;
use plait_api::{ErrorReply, Options, Plait};
use tauri::{AppHandle, Manager};

use crate::startup::Startup;
use crate::{dialogs, environment};

/// How long to wait before the tokenizer is loaded. The window is painted by then.
const TOKENIZER_PRELOAD_DELAY: Duration = Duration::from_secs(2);

/// How long closing may take.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Begins to open the application, on a thread of its own: rebuilding the index of a large data directory takes long.
/// `on_failure` hears why it can't be opened.
pub(crate) fn begin_to_open(app: &AppHandle, on_failure: fn(&AppHandle, &ErrorReply)) -> Startup {
    let (reporter, startup) = Startup::begin();
    let app = app.clone();
    tauri::async_runtime::spawn_blocking(move || {
        let reporter = Arc::new(reporter);
        let progress = Arc::clone(&reporter);
        let opened = open(&app, Box::new(move |done, total| progress.progress(done, total)));
        if let Err(error) = &opened {
            on_failure(&app, error);
        }
        reporter.end(opened);
    });
    startup
}

/// Opens the application on the data directory in `PLAIT_HOME`, or on the default one of the platform.
fn open(app: &AppHandle, progress: Box<dyn FnMut(usize, usize) + Send>) -> Result<Arc<Plait>, ErrorReply> {
    let home = plait_api::data_dir(environment::home())?;
    let options = Options {
        dialogs: Some(dialogs::system_dialogs(app)),
        progress: Some(progress),
        ..Options::of_application(home)
    };
    // Opening may spawn tasks.
    let _runtime = tauri::async_runtime::handle().inner().enter();
    let plait = Plait::open(options).map(Arc::new)?;
    tauri::async_runtime::spawn(preload_tokenizer(Arc::clone(&plait)));
    Ok(plait)
}

/// Loads the table of the tokenizer, which takes about 0.1 s, so that the first model call does not wait for it.
async fn preload_tokenizer(plait: Arc<Plait>) {
    tokio::time::sleep(TOKENIZER_PRELOAD_DELAY).await;
    let count = CountTokens { model: String::new(), text: "word".to_owned() };
    // The result does not matter.
    let _ = plait.call(count).await;
}

/// Stops all runs, which can be resumed, and waits until everything is on disk. Gives up after a timeout: everything that
/// was flushed before is safe.
pub(crate) fn close(app: &AppHandle) {
    let Some(plait) = app.try_state::<Startup>().and_then(|startup| startup.opened()) else { return };
    let closing = async { tokio::time::timeout(SHUTDOWN_TIMEOUT, plait.close()).await };
    if let Ok(Err(error)) = tauri::async_runtime::block_on(closing) {
        eprintln!("error[{}]: {}", error.code, error.message);
    }
}
