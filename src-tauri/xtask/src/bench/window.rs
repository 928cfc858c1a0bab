//! The real window, built with optimizations: its first paint beside an empty window's, and panning beside bare React Flow.

use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::notes::{self, Note};
use crate::needs::{self, Purpose};
use crate::steps::{Step, cargo, npm};
use crate::{editor, repo};

/// Where `ui/perf` serves the bare page.
const BARE: &str = "http://127.0.0.1:4194/perf/bare.html";
const BARE_HOST: (&str, u16) = ("127.0.0.1", 4194);

/// Measures both. On Linux only: elsewhere the webview can't be driven.
pub(crate) fn measure() -> Result<Vec<Note>> {
    if !cfg!(target_os = "linux") {
        bail!("this system's webview cannot be driven, so the window is measured on Linux only");
    }
    needs::provide(&[Purpose::Window, Purpose::Editor, Purpose::Driver])?;
    editor::build()?;
    let build = cargo(&["build", "--release", "--workspace", "--bins"]);
    Step::new("Build the window with optimizations (the first time takes some minutes)", build).quietly()?;
    let _page = Served::start()?;
    let mut measure = std::process::Command::new(repo::binary("measure", true));
    measure.arg(repo::binary("plait-desktop", true)).arg(repo::binary("plait-empty-window", true)).arg(BARE);
    let said = Step::new("Measure the real window", measure).for_its_output()?;
    Ok(notes::parse(&said))
}

/// The page with nothing but React Flow, as long as this lives.
struct Served(Child);

impl Served {
    fn start() -> Result<Self> {
        let build =
            npm(&["exec", "--", "vite", "build", "--config", "perf/vite.config.ts", "--logLevel", "warn"]);
        Step::new("Build the bare page", build).quietly()?;
        // Node itself, not npm: a child of a child would outlive its parent.
        let mut serve = std::process::Command::new("node");
        serve.args(["node_modules/vite/bin/vite.js", "preview", "--config", "perf/vite.config.ts"]);
        serve.current_dir(repo::ui()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let served = Self(serve.spawn()?);
        let begin = Instant::now();
        while TcpStream::connect(BARE_HOST).is_err() {
            if begin.elapsed() > Duration::from_secs(30) {
                bail!("the bare page is not served at {BARE}");
            }
            sleep(Duration::from_millis(100));
        }
        Ok(served)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // One that has ended already is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
