//! The window itself: where it opens, what it may load, how it closes.

use std::sync::atomic::{AtomicBool, Ordering};

use tauri::utils::config::Color;
use tauri::webview::{NewWindowResponse, PageLoadEvent};
use tauri::{
    AppHandle, LogicalSize, Manager, Theme, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder, Window,
    WindowEvent,
};

use crate::args::Start;
use crate::ipc::Watches;

/// The window's name inside Tauri; the capability in `tauri.conf.json` is for it alone.
pub(crate) const LABEL: &str = "main";

const SIZE: LogicalSize<f64> = LogicalSize::new(1440.0, 900.0);
const MIN_SIZE: LogicalSize<f64> = LogicalSize::new(960.0, 600.0);

/// Asks the page whether it can be closed, and passes the answer on. Without a listener in the page the answer is yes.
const ASK_TO_CLOSE: &str = "
    const now = window.dispatchEvent(new CustomEvent('plait:close', { cancelable: true }));
    window.__TAURI_INTERNALS__.invoke('closing', { now });
";

/// Whether the page was asked and has not answered. A page that hangs must not keep the window open for ever.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Whether a window can be shown here.
pub(crate) fn has_display() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

/// Opens it. It shows itself when the page has loaded, so that nobody sees it empty.
pub(crate) fn open(app: &AppHandle, start: &Start) -> tauri::Result<()> {
    let page = page(start);
    let size = fitting(app)?;
    let window = WebviewWindowBuilder::new(app, LABEL, WebviewUrl::App(page.into()))
        .title("Plait")
        .inner_size(size.width, size.height)
        .min_inner_size(MIN_SIZE.width.min(size.width), MIN_SIZE.height.min(size.height))
        .center()
        .visible(false)
        // The webview's own handler for dropped files would swallow the page's.
        .disable_drag_drop_handler()
        .on_navigation(|url| is_ours(url) || open_outside(url))
        .on_new_window(|url, _| {
            open_outside(&url);
            NewWindowResponse::Deny
        })
        .on_page_load(|window, load| match load.event() {
            PageLoadEvent::Started => window.state::<Watches>().end_all(),
            PageLoadEvent::Finished => {
                if let Err(error) = window.show() {
                    eprintln!("error: the window could not be shown: {error}");
                }
            }
        })
        .build()?;
    window.set_background_color(Some(match window.theme() {
        Ok(Theme::Light) => Color(0xf5, 0xf6, 0xfa, 0xff),
        _ => Color(0x10, 0x12, 0x19, 0xff),
    }))
}

/// Closing asks the page first, which may have something to keep.
pub(crate) fn on_event(window: &Window, event: &WindowEvent) {
    let WindowEvent::CloseRequested { api, .. } = event else { return };
    let Some(page) = window.get_webview_window(LABEL) else { return };
    if !ASKED.swap(true, Ordering::SeqCst) && page.eval(ASK_TO_CLOSE).is_ok() {
        api.prevent_close();
    }
}

/// The page's answer: close `now`, or leave the window open until it says so.
pub(crate) fn answered(window: &WebviewWindow, now: bool) -> tauri::Result<()> {
    ASKED.store(false, Ordering::SeqCst);
    if now { window.destroy() } else { Ok(()) }
}

/// The page's address: it reads from the query what to open.
fn page(start: &Start) -> String {
    let query = |name: &str, value: &str| {
        let query = url::form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish();
        format!("index.html?{query}")
    };
    match start {
        Start::Empty => "index.html".to_owned(),
        Start::Flow(path) => query("open", &path.to_string_lossy()),
        Start::Example(id) => query("example", id),
    }
}

/// The default size, or what the screen has room for.
fn fitting(app: &AppHandle) -> tauri::Result<LogicalSize<f64>> {
    let Some(monitor) = app.primary_monitor()? else { return Ok(SIZE) };
    let room = monitor.work_area().size.to_logical::<f64>(monitor.scale_factor());
    Ok(LogicalSize::new(SIZE.width.min(room.width), SIZE.height.min(room.height)))
}

/// Where Vite serves the editor under `cargo xtask dev`: the port of `devUrl` in `tauri.conf.json`.
const DEV_SERVER_PORT: u16 = 5173;

/// The page comes from inside the binary, or from Vite in a development build, and stays there.
fn is_ours(url: &Url) -> bool {
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

/// Shows a link in the person's browser. Always false: the window itself does not go there.
fn open_outside(url: &Url) -> bool {
    if matches!(url.scheme(), "http" | "https" | "mailto")
        && let Err(error) = open::that_detached(url.as_str())
    {
        eprintln!("error: {url} could not be opened: {error}");
    }
    false
}

#[cfg(test)]
mod tests;
