//! The environment of the window in a test: a display (Xvfb), a message bus, and a WebDriver.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;

use crate::WAIT_TIMEOUT;
use crate::process::ChildGuard;

/// Larger than the default size of the window, so that it opens at that size.
const SCREEN_SIZE: &str = "1600x1000x24";

/// The variables that a process needs to start. Keys, proxies and model servers of the developer are in the
/// environment, too.
const KEPT_VARIABLES: [&str; 6] = ["PATH", "HOME", "LANG", "TMPDIR", "XDG_RUNTIME_DIR", "LLVM_PROFILE_FILE"];

/// A command that inherits only these variables.
pub fn clean_command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    let kept = KEPT_VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    command.env_clear().envs(kept);
    command
}

/// A virtual display.
#[derive(Debug)]
pub struct Display {
    name: String,
    _server: ChildGuard,
}

impl Display {
    /// Starts a display. The server chooses a free number.
    pub fn start() -> Result<Self> {
        let mut server = clean_command("Xvfb");
        server.args(["-displayfd", "1", "-screen", "0", SCREEN_SIZE, "-nolisten", "tcp"]);
        server.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = ChildGuard::new(
            server.spawn().context("Xvfb cannot be started; `cargo xtask setup` installs it")?,
        );
        let out = server.child().stdout.take().context("Xvfb has no output")?;
        let mut number = String::new();
        // Xvfb writes the number when it is ready, and closes its output if it cannot start.
        BufReader::new(out).read_line(&mut number)?;
        if number.trim().is_empty() {
            bail!("Xvfb did not start");
        }
        Ok(Self { name: format!(":{}", number.trim()), _server: server })
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A WebDriver with its own message bus. Windows opened through it are its child processes.
#[derive(Debug)]
pub struct Driver {
    port: u16,
    _process: ChildGuard,
}

impl Driver {
    /// Starts a driver. Its window gets `environment` and little else; both write to `log`.
    pub fn start(display: &Display, environment: &[(&str, &Path)], log: &Path) -> Result<Self> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let log = File::options().create(true).append(true).open(log)?;
        let mut command = clean_command("dbus-run-session");
        command.args(["--", "WebKitWebDriver", "--host=127.0.0.1"]).arg(format!("--port={port}"));
        command.envs(environment.iter().copied()).env("DISPLAY", display.name());
        // The first two enable automation of the webview; the others avoid hardware and services that a test
        // machine may lack. (Not WEBKIT_DISABLE_DMABUF_RENDERER: with it, screenshots hang in WebKitGTK 2.50.)
        for on in ["TAURI_WEBVIEW_AUTOMATION", "TAURI_AUTOMATION"] {
            command.env(on, "true");
        }
        for on in ["NO_AT_BRIDGE", "LIBGL_ALWAYS_SOFTWARE"] {
            command.env(on, "1");
        }
        command.env("GDK_BACKEND", "x11");
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let process =
            command.spawn().context("dbus-run-session cannot be started; `cargo xtask setup` installs it")?;
        Ok(Self { port, _process: ChildGuard::new(process) })
    }

    /// Opens `binary` with `args` and returns the session for its window.
    pub async fn open(&self, binary: &Path, args: &[&str]) -> Result<Client> {
        let options = json!({ "binary": binary, "args": args });
        let capabilities = [("webkitgtk:browserOptions".to_owned(), options)].into_iter().collect();
        let url = format!("http://127.0.0.1:{}", self.port);
        self.wait_until_listening().await?;
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let connecting = builder.capabilities(capabilities);
        match tokio::time::timeout(WAIT_TIMEOUT, connecting.connect(&url)).await {
            Ok(client) => client.context("the window did not open, or cannot be driven"),
            Err(_) => bail!("the window did not open within {} s", WAIT_TIMEOUT.as_secs()),
        }
    }

    async fn wait_until_listening(&self) -> Result<()> {
        let start = Instant::now();
        while tokio::net::TcpStream::connect(("127.0.0.1", self.port)).await.is_err() {
            if start.elapsed() > WAIT_TIMEOUT {
                bail!("WebKitWebDriver does not listen; `cargo xtask setup` installs it");
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        Ok(())
    }
}
