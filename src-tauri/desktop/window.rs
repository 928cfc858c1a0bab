//! The windows: size, page, permitted URLs, and closing.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;
use plait_core::id::RunId;
use tauri::utils::config::Color;
use tauri::webview::{NewWindowResponse, PageLoadEvent};
use tauri::{
    AppHandle, LogicalSize, Manager, Theme, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder, Window,
    WindowEvent,
};

use crate::args::InitialFlow;
use crate::first_state;
use crate::open_files::OpenFiles;
use crate::open_requests::OpenRequests;
use crate::watches::Watches;

/// The label of the first window in Tauri. The capability in `tauri.conf.json` is restricted to it and its like.
const FIRST: &str = "main";

/// The prefix of the labels of the other windows.
const OTHERS: &str = "window-";

const DEFAULT_SIZE: LogicalSize<f64> = LogicalSize::new(1440.0, 900.0);
const MIN_SIZE: LogicalSize<f64> = LogicalSize::new(960.0, 600.0);

/// Asks the page whether the window can be closed, and returns the answer through `closing`. Without a listener the answer
/// is yes.
const CLOSE_REQUEST_SCRIPT: &str = "
    const now = window.dispatchEvent(new CustomEvent('plait:close', { cancelable: true }));
    window.__TAURI_INTERNALS__.invoke('closing', { now });
";

/// The pages that have been asked and have not answered, by the labels of their windows. A second request then closes the
/// window, even if its page hangs.
static ASKED_TO_CLOSE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

pub(crate) fn open_first(app: &AppHandle, flow: &InitialFlow) -> tauri::Result<()> {
    open(app, FIRST, page_url(flow))?;
    // The system places the others beside it.
    current(app).map_or(Ok(()), |window| window.center())
}

/// Opens another window, without a flow: of this machine or a host, and with a run to show.
pub(crate) fn open_another(app: &AppHandle, host: Option<&str>, run: Option<&RunId>) -> tauri::Result<()> {
    static NEXT: AtomicU32 = AtomicU32::new(2);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("window", "another");
    if let Some(host) = host {
        query.append_pair("host", host);
    }
    if let Some(run) = run {
        query.append_pair("run", run.as_str());
    }
    open(app, &format!("{OTHERS}{number}"), format!("index.html?{}", query.finish()))
}

/// The window that is used now, as far as the system tells, or else any.
pub(crate) fn current(app: &AppHandle) -> Option<WebviewWindow> {
    let windows = app.webview_windows();
    let focused = windows.values().find(|window| window.is_focused().unwrap_or(false));
    focused.or_else(|| windows.get(FIRST)).or_else(|| windows.values().next()).cloned()
}

/// Another start of Plait asked for a flow, or for nothing: the current window takes it and comes to the front.
pub(crate) fn take_over(app: &AppHandle, flow: InitialFlow) {
    let window = current(app);
    if flow != InitialFlow::None {
        app.state::<OpenRequests>().request(window.as_ref().map(WebviewWindow::label), flow);
    }
    if let Some(window) = window {
        bring_to_front(&window);
    }
}

/// Shows a flow in the window with this label, and brings it to the front. Returns whether that window is there.
pub(crate) fn show_in(app: &AppHandle, label: &str, flow: InitialFlow) -> bool {
    let Some(window) = app.get_webview_window(label) else { return false };
    app.state::<OpenRequests>().request(Some(label), flow);
    bring_to_front(&window);
    true
}

fn bring_to_front(window: &WebviewWindow) {
    if let Err(error) = window.unminimize().and_then(|()| window.set_focus()) {
        eprintln!("error: the window could not come to the front: {error}");
    }
}

/// Opens a window. It is shown when the page has loaded, so that it never appears empty.
fn open(app: &AppHandle, label: &str, page: String) -> tauri::Result<()> {
    let size = initial_size(app)?;
    let handle = app.clone();
    let window = WebviewWindowBuilder::new(app, label, WebviewUrl::App(page.into()))
        .title("Plait")
        .inner_size(size.width, size.height)
        .min_inner_size(MIN_SIZE.width.min(size.width), MIN_SIZE.height.min(size.height))
        .visible(false)
        // The handler of the webview would prevent the page from receiving dropped files.
        .disable_drag_drop_handler()
        .on_web_resource_request(move |_, response| first_state::add_to(&handle, response))
        .on_navigation(|url| is_own_page(url) || open_in_browser(url))
        .on_new_window(|url, _| {
            open_in_browser(&url);
            NewWindowResponse::Deny
        })
        .on_document_title_changed(|window, title| {
            if let Err(error) = window.set_title(&title) {
                eprintln!("error: the window could not be renamed: {error}");
            }
        })
        .on_page_load(|window, load| match load.event() {
            PageLoadEvent::Started => {
                forget_page(window.app_handle(), window.label());
            }
            PageLoadEvent::Finished => {
                if let Err(error) = window.show() {
                    eprintln!("error: the window could not be shown: {error}");
                }
            }
        })
        .build()?;
    #[cfg(target_os = "linux")]
    crate::graphics::configure(&window)?;
    window.set_background_color(Some(match window.theme() {
        Ok(Theme::Light) => Color(0xf5, 0xf6, 0xfa, 0xff),
        _ => Color(0x10, 0x12, 0x19, 0xff),
    }))
}

/// The page of this window is gone, and what belonged to it.
fn forget_page(app: &AppHandle, label: &str) {
    app.state::<Watches>().stop_all(label);
    app.state::<OpenRequests>().forget(label);
    app.state::<OpenFiles>().forget(label);
}

/// Asks the page before the window closes, because it may have unsaved changes.
pub(crate) fn on_window_event(window: &Window, event: &WindowEvent) {
    match event {
        WindowEvent::CloseRequested { api, .. } => {
            let Some(page) = window.get_webview_window(window.label()) else { return };
            let is_first_request = ASKED_TO_CLOSE.lock().insert(window.label().to_owned());
            if is_first_request && page.eval(CLOSE_REQUEST_SCRIPT).is_ok() {
                api.prevent_close();
            }
        }
        WindowEvent::Destroyed => {
            ASKED_TO_CLOSE.lock().remove(window.label());
            forget_page(window.app_handle(), window.label());
        }
        _ => {}
    }
}

/// Handles the page's answer to a close request: closes the window `now`, or leaves it open.
pub(crate) fn answer_close_request(window: &WebviewWindow, now: bool) -> tauri::Result<()> {
    ASKED_TO_CLOSE.lock().remove(window.label());
    if now { window.destroy() } else { Ok(()) }
}

/// The URL of the page. Its query names the flow to open.
fn page_url(flow: &InitialFlow) -> String {
    let query = |name: &str, value: &str| {
        let query = url::form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish();
        format!("index.html?{query}")
    };
    match flow {
        InitialFlow::None => "index.html".to_owned(),
        InitialFlow::File(path) => query("open", &path.to_string_lossy()),
        InitialFlow::Example(id) => query("example", id),
    }
}

/// The default size, limited to the size of the screen.
fn initial_size(app: &AppHandle) -> tauri::Result<LogicalSize<f64>> {
    let Some(monitor) = app.primary_monitor()? else { return Ok(DEFAULT_SIZE) };
    let available = monitor.work_area().size.to_logical::<f64>(monitor.scale_factor());
    Ok(LogicalSize::new(DEFAULT_SIZE.width.min(available.width), DEFAULT_SIZE.height.min(available.height)))
}

/// Where Vite serves the editor under `cargo xtask dev`: the port of `devUrl` in `tauri.conf.json`.
const DEV_SERVER_PORT: u16 = 5173;

/// Whether a URL is the page that is embedded in the binary or, in a development build, served by Vite.
fn is_own_page(url: &Url) -> bool {
    match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        "http" | "https" if url.host_str() == Some("tauri.localhost") => true,
        "http" => {
            tauri::is_dev() && url.host_str() == Some("127.0.0.1") && url.port() == Some(DEV_SERVER_PORT)
        }
        "about" => url.path() == "blank",
        _ => false,
    }
}

/// Opens a link in the default browser. Returns false, so that the window does not navigate to it.
fn open_in_browser(url: &Url) -> bool {
    if matches!(url.scheme(), "http" | "https" | "mailto")
        && let Err(error) = open::that_detached(url.as_str())
    {
        eprintln!("error: {url} could not be opened: {error}");
    }
    false
}

#[cfg(test)]
mod tests;
