//! The application inside the window: opened at startup, beside the window, and closed with everything on disk.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use plait_api::tokens::CountTokens;
use plait_api::{ErrorReply, Options, Plait, Serving};
use tauri::{AppHandle, Manager};

use crate::args::InitialFlow;
use crate::codes;
use crate::startup::Startup;
use crate::{dialogs, environment, instance, window};

/// How long to wait before the tokenizer is loaded. The window is painted by then.
const TOKENIZER_PRELOAD_DELAY: Duration = Duration::from_secs(2);

/// How long closing may take, and before that the end of what terminals have under way.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);
const SERVING_TIMEOUT: Duration = Duration::from_secs(1);

/// How often to ask a process that has the data directory and does not listen yet, and how long to wait in between. It listens
/// as soon as it has the directory, so this is for two starts at the same moment.
const HAND_OVER_ATTEMPTS: u32 = 20;
const HAND_OVER_PAUSE: Duration = Duration::from_millis(100);

/// Whether another process of the window has the data directory, and has taken this flow over.
pub(crate) fn is_open_elsewhere(flow: &InitialFlow) -> bool {
    plait_api::data_dir(environment::home())
        .is_ok_and(|home| tauri::async_runtime::block_on(instance::hand_over(&home, flow)))
}

/// Begins to open the application, on a thread of its own: rebuilding the index of a large data directory takes long.
/// `on_failure` hears why it can't be opened. If another process of the window was faster, that one gets the flow, and this
/// one ends.
pub(crate) fn begin_to_open(
    app: &AppHandle,
    flow: InitialFlow,
    on_failure: fn(&AppHandle, &ErrorReply),
) -> Startup {
    let (reporter, startup) = Startup::begin();
    let app = app.clone();
    tauri::async_runtime::spawn_blocking(move || {
        let reporter = Arc::new(reporter);
        let progress = Arc::clone(&reporter);
        let opened = open(&app, Box::new(move |done, total| progress.progress(done, total)));
        if let Err(error) = &opened {
            if error.code == codes::STORE_LOCKED && hand_over_soon(&flow) {
                app.exit(0);
            } else {
                on_failure(&app, error);
            }
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
        ..Options::of_application(home.clone(), plait_app::parts())
    };
    // Opening may spawn tasks.
    let _runtime = tauri::async_runtime::handle().inner().enter();
    let plait = Plait::open(options).map(Arc::new)?;
    tauri::async_runtime::spawn(preload_tokenizer(Arc::clone(&plait)));
    listen_for_others(app, &home);
    // Where this is not possible, terminals find the data directory in use.
    app.manage(Serving::begin(&plait));
    Ok(plait)
}

/// Opens here what other starts with this data directory are asked for. Without a socket, they report that it is in use.
fn listen_for_others(app: &AppHandle, home: &Path) {
    let handle = app.clone();
    match instance::listen(home, move |flow| window::take_over(&handle, flow)) {
        Ok(listening) => drop(tauri::async_runtime::spawn(listening)),
        Err(error) => eprintln!("error: other starts of Plait cannot open flows here: {error}"),
    }
}

fn hand_over_soon(flow: &InitialFlow) -> bool {
    (0..HAND_OVER_ATTEMPTS).any(|_| {
        let is_taken = is_open_elsewhere(flow);
        if !is_taken {
            std::thread::sleep(HAND_OVER_PAUSE);
        }
        is_taken
    })
}

/// Loads the table of the tokenizer, which takes about 0.1 s, so that the first model call does not wait for it.
async fn preload_tokenizer(plait: Arc<Plait>) {
    tokio::time::sleep(TOKENIZER_PRELOAD_DELAY).await;
    let count = CountTokens { model: String::new(), text: "word".to_owned() };
    // The result does not matter.
    let _ = plait.call(count).await;
}

/// Stops serving terminals, which go on with their runs themselves, and all runs, which can be resumed. Waits until everything is
/// on disk. Gives up after a timeout: everything that was flushed before is safe.
pub(crate) fn close(app: &AppHandle) {
    let Some(plait) = app.try_state::<Startup>().and_then(|startup| startup.opened()) else { return };
    let serving = app.try_state::<Option<Serving>>();
    let ending = async {
        if let Some(serving) = serving.as_deref().and_then(Option::as_ref) {
            // A command that takes longer must not keep the runs from being stored.
            let _ = tokio::time::timeout(SERVING_TIMEOUT, serving.stop()).await;
        }
        tokio::time::timeout(SHUTDOWN_TIMEOUT, plait.close()).await
    };
    if let Ok(Err(error)) = tauri::async_runtime::block_on(ending) {
        eprintln!("error[{}]: {}", error.code, error.message);
    }
}
