//! What the window stands on in a test: a display (Xvfb), a message bus, and a WebDriver.

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
use crate::process::Owned;

/// Larger than the window's default, so that the window opens at it.
const SCREEN: &str = "1600x1000x24";

/// A display of our own.
#[derive(Debug)]
pub struct Display {
    name: String,
    _server: Owned,
}

impl Display {
    /// Starts one; the server itself chooses a number that is free.
    pub fn start() -> Result<Self> {
        let mut server = Command::new("Xvfb");
        server.args(["-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp"]);
        server.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server =
            Owned::new(server.spawn().context("Xvfb cannot be started; `cargo xtask setup` installs it")?);
        let out = server.child().stdout.take().context("Xvfb has no output")?;
        let mut number = String::new();
        // It writes the number when it is ready, and closes its output when it cannot start.
        BufReader::new(out).read_line(&mut number)?;
        if number.trim().is_empty() {
            bail!("Xvfb did not start");
        }
        Ok(Self { name: format!(":{}", number.trim()), _server: server })
    }

    /// Its name, as in `DISPLAY`.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A WebDriver on a message bus of its own. Windows opened through it are its children.
#[derive(Debug)]
pub struct Driver {
    port: u16,
    _process: Owned,
}

impl Driver {
    /// Starts one. The window it opens inherits `environment`; both write to `log`.
    pub fn start(display: &Display, environment: &[(&str, &Path)], log: &Path) -> Result<Self> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let log = File::options().create(true).append(true).open(log)?;
        let mut command = Command::new("dbus-run-session");
        command.args(["--", "WebKitWebDriver", "--host=127.0.0.1"]).arg(format!("--port={port}"));
        command
            .envs(environment.iter().copied())
            .env("DISPLAY", display.name())
            .env_remove("WAYLAND_DISPLAY");
        // Without the first two the webview refuses to be driven; the others keep it off hardware and services
        // that a test machine does not have. (Not WEBKIT_DISABLE_DMABUF_RENDERER: with WebKitGTK 2.50 and it,
        // the driver never answers when asked for a picture.)
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
        Ok(Self { port, _process: Owned::new(process) })
    }

    /// Opens `binary` with `args` and gives a session that drives its window.
    pub async fn open(&self, binary: &Path, args: &[&str]) -> Result<Client> {
        let options = json!({ "binary": binary, "args": args });
        let capabilities = [("webkitgtk:browserOptions".to_owned(), options)].into_iter().collect();
        let url = format!("http://127.0.0.1:{}", self.port);
        self.wait_until_it_listens().await?;
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let connecting = builder.capabilities(capabilities);
        match tokio::time::timeout(WAIT_TIMEOUT, connecting.connect(&url)).await {
            Ok(client) => client.context("the window did not open, or cannot be driven"),
            Err(_) => bail!("the window did not open within {} s", WAIT_TIMEOUT.as_secs()),
        }
    }

    async fn wait_until_it_listens(&self) -> Result<()> {
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
