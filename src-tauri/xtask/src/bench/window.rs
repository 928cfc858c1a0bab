//! The real window, built with optimizations: first paint compared with an empty window, and panning compared with bare
//! React Flow.

use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::figures::{self, Figure};
use crate::requirements::{self, Purpose};
use crate::steps::{Step, cargo, npm};
use crate::{editor, repo};

/// The page of `ui/perf` with bare React Flow.
const BARE_PAGE_URL: &str = "http://127.0.0.1:4194/perf/bare.html";
const BARE_PAGE_ADDRESS: (&str, u16) = ("127.0.0.1", 4194);

/// Measures both. Linux only: on other systems the webview can't be driven.
pub(crate) fn measure() -> Result<Vec<Figure>> {
    if !cfg!(target_os = "linux") {
        bail!("this system's webview cannot be driven, so the window is measured on Linux only");
    }
    requirements::ensure_installed(&[Purpose::Window, Purpose::Editor, Purpose::Driver])?;
    editor::build()?;
    let build = cargo(&["build", "--release", "--workspace", "--bins"]);
    Step::new("Build the window with optimizations (the first time takes some minutes)", build).run()?;
    let _page = BarePageServer::start()?;
    let mut measure = std::process::Command::new(repo::binary("measure", true));
    measure
        .arg(repo::binary("plait-desktop", true))
        .arg(repo::binary("plait-empty-window", true))
        .arg(BARE_PAGE_URL);
    let output = Step::new("Measure the real window", measure).capture_output()?;
    Ok(figures::parse(&output))
}

/// Serves the page with bare React Flow until it is dropped.
struct BarePageServer(Child);

impl BarePageServer {
    fn start() -> Result<Self> {
        let build =
            npm(&["exec", "--", "vite", "build", "--config", "perf/vite.config.ts", "--logLevel", "warn"]);
        Step::new("Build the bare page", build).run()?;
        // Runs Node directly: a child of npm would outlive it.
        let mut serve = std::process::Command::new("node");
        serve.args(["node_modules/vite/bin/vite.js", "preview", "--config", "perf/vite.config.ts"]);
        serve.current_dir(repo::ui()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Self(serve.spawn()?);
        let begin = Instant::now();
        while TcpStream::connect(BARE_PAGE_ADDRESS).is_err() {
            if begin.elapsed() > Duration::from_secs(30) {
                bail!("the bare page is not available at {BARE_PAGE_URL}");
            }
            sleep(Duration::from_millis(100));
        }
        Ok(server)
    }
}

impl Drop for BarePageServer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
