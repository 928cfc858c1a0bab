//! `cargo xtask dev`: the window with hot reload. Vite serves the editor and reloads it on each change; the binary is built
//! without the feature `custom-protocol`, so that it loads the page from Vite. A change in Rust needs a restart.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::requirements::{self, Purpose};
use crate::run::{EXAMPLE, absolute};
use crate::steps::{Step, cargo, npm};
use crate::{editor, platform};

/// The port of `server` in `ui/vite.config.ts` and of `devUrl` in `tauri.conf.json`.
const DEV_SERVER_PORT: u16 = 5173;

/// Vite bundles its dependencies before it listens.
const DEV_SERVER_TIMEOUT: Duration = Duration::from_mins(1);

/// Opens `flow`, or the example, until the window is closed.
pub(crate) fn run(flow: Option<&Path>) -> Result<()> {
    let flow = flow.map(absolute).transpose()?;
    if !platform::has_display() {
        bail!(
            "no display (neither DISPLAY nor WAYLAND_DISPLAY is set); `npm run dev` in ui/ serves the editor to a browser"
        );
    }
    requirements::ensure_installed(&[Purpose::Window, Purpose::Editor])?;
    editor::install_packages()?;
    let mut server = Step::new("Vite", npm(&["run", "dev:desktop", "--", "--strictPort"])).spawn()?;
    server.wait_for_port(DEV_SERVER_PORT, DEV_SERVER_TIMEOUT)?;
    let mut window = cargo(&["run", "--package", "plait-desktop", "--no-default-features", "--"]);
    match &flow {
        Some(flow) => window.arg(flow),
        None => window.args(["--example", EXAMPLE]),
    };
    Step::new("Plait", window).run_in_foreground()
}
