//! Plait's window: the only code that knows Tauri.
//!
//! Owns the start and the end of the process. What the page may ask for is in `ipc`, what the system does for a
//! command (dialogs) in `host`, how the window looks and closes in `window`. No command has its body here, and
//! there is no menu of our own: the editor has its menus in the page, and macOS gets Tauri's standard one, which copying
//! and pasting need there.
#![cfg_attr(all(not(debug_assertions), windows), windows_subsystem = "windows")]

mod args;
mod host;
mod ipc;
mod window;

use std::process::ExitCode;

use tauri::{Manager, RunEvent};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

use args::Asked;

fn main() -> ExitCode {
    let start = match args::read(std::env::args_os().skip(1)) {
        Ok(Asked::Window(start)) => start,
        Ok(Asked::Text(text)) => {
            println!("{text}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    if !window::has_display() {
        eprintln!(
            "error: there is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set)\n  \
             help: `plait run FLOW` runs a flow in the terminal"
        );
        return ExitCode::from(2);
    }
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .manage(ipc::Watches::default())
        .invoke_handler(tauri::generate_handler![ipc::rpc, ipc::watch, ipc::unwatch, ipc::closing])
        .on_window_event(window::on_event)
        .setup(move |app| {
            match host::open(app.handle()) {
                Ok(plait) => {
                    app.manage(plait);
                    window::open(app.handle(), &start)?;
                }
                Err(error) => cannot_start(app.handle(), &error),
            }
            Ok(())
        })
        .build(tauri::generate_context!());
    let app = match app {
        Ok(app) => app,
        Err(error) => {
            eprintln!("error: the window could not be opened: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = app.run_return(|app, event| {
        if let RunEvent::Exit = event {
            host::close(app);
        }
    });
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Says why on the terminal and in a dialog, then ends.
fn cannot_start(app: &tauri::AppHandle, error: &plait_api::ErrorReply) {
    let hint = error.hint.as_deref().unwrap_or_default();
    eprintln!("error[{}]: {}\n  help: {hint}", error.code, error.message);
    let app = app.clone();
    app.dialog()
        .message(format!("{}\n\n{hint}", error.message))
        .title("Plait cannot start")
        .kind(MessageDialogKind::Error)
        .show(move |_| app.exit(1));
}
