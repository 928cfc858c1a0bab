//! The window of Plait: the only code that depends on Tauri.
//!
//! Starts and ends the process. `instance` finds a running process, `ipc` has the Tauri commands of the page, `dialogs`
//! the file dialogs, `host` opens and closes the application, `startup` reports the progress of opening, `window`
//! creates and closes the windows, `first_state` has the data of the first render, and `graphics` chooses how the page
//! is drawn. No command of the api is implemented here. There is no menu bar: the editor has its menus in the page, and
//! macOS gets the default menu of Tauri, which copy and paste need there.
#![cfg_attr(all(not(debug_assertions), windows), windows_subsystem = "windows")]

mod args;
mod codes;
mod dialogs;
mod environment;
mod first_state;
#[cfg(target_os = "linux")]
mod graphics;
mod host;
mod instance;
mod ipc;
mod open_files;
mod open_requests;
mod startup;
mod watches;
mod window;

use std::process::ExitCode;

use tauri::{Manager, RunEvent};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

use args::StartupAction;

/// Flows and journals are many small values: this allocator makes and frees them faster than those of the systems.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some(code) = plait_api::serve_if_worker() {
        return code;
    }
    let initial_flow = match args::parse(std::env::args_os().skip(1)) {
        Ok(StartupAction::OpenWindow(flow)) => flow,
        Ok(StartupAction::Print(text)) => {
            println!("{text}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    if !environment::has_display() {
        eprintln!(
            "error: no display found (neither DISPLAY nor WAYLAND_DISPLAY is set)\n  \
             help: run flows in the terminal with `plait run FLOW`"
        );
        return ExitCode::from(2);
    }
    if host::is_open_elsewhere(&initial_flow) {
        println!("Plait is open already.");
        return ExitCode::SUCCESS;
    }
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .manage(watches::Watches::default())
        .manage(open_files::OpenFiles::default())
        .manage(open_requests::OpenRequests::default())
        .invoke_handler(tauri::generate_handler![
            ipc::rpc,
            ipc::watch,
            ipc::watch_runs,
            ipc::unwatch,
            ipc::closing,
            ipc::opened,
            ipc::take_requests,
            ipc::report_files,
            ipc::show_elsewhere,
            ipc::new_window
        ])
        .on_window_event(window::on_window_event)
        .setup(move |app| {
            app.manage(host::begin_to_open(app.handle(), initial_flow.clone(), report_startup_error));
            window::open_first(app.handle(), &initial_flow)?;
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

/// Reports the error in the terminal and in a dialog, then exits.
fn report_startup_error(app: &tauri::AppHandle, error: &plait_api::ErrorReply) {
    let hint = error.hint.as_deref().unwrap_or_default();
    eprintln!("error[{}]: {}\n  help: {hint}", error.code, error.message);
    let app = app.clone();
    app.dialog()
        .message(format!("{}\n\n{hint}", error.message))
        .title("Plait cannot start")
        .kind(MessageDialogKind::Error)
        .show(move |_| app.exit(1));
}
