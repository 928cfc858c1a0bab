//! The window under test: opened on a data directory of its own, killed, opened again.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use fantoccini::Client;
use tempfile::TempDir;

use crate::WAIT_TIMEOUT;
use crate::environment::{Display, Driver};
use crate::process::{self, Owned};

/// The variable that names the window's data directory.
const HOME: &str = "PLAIT_HOME";
/// The variable that answers the window's file dialogs (debug builds only).
const DIALOG: &str = "PLAIT_TEST_DIALOG";
/// The variable that names the binary to test, in place of the debug build.
const BINARY: &str = "PLAIT_DESKTOP";

/// A directory of one test: the window's data, the flows it saves, its log.
#[derive(Debug)]
pub struct Home(TempDir);

impl Home {
    /// An empty one.
    pub fn new() -> Result<Self> {
        Ok(Self(tempfile::Builder::new().prefix("plait-window-").tempdir()?))
    }

    /// A file beside the window's data.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The window's data directory.
    pub fn data(&self) -> PathBuf {
        self.file("data")
    }

    /// What file dialogs answer in this test.
    pub fn dialog_answer(&self) -> PathBuf {
        self.file("chosen.flow.json")
    }
}

/// An open window.
#[derive(Debug)]
pub struct App {
    /// The session that drives it.
    pub client: Client,
    name: String,
    binary: PathBuf,
    data: PathBuf,
    log: PathBuf,
    // Dropped in this order: the driver with the window first, then the display it stands on.
    _driver: Driver,
    display: Display,
}

impl App {
    /// Opens the window for the test `name`, with these arguments, and waits for its first paint.
    pub async fn open(name: &str, home: &Home, args: &[&str]) -> Result<Self> {
        Self::open_binary(name, &binary()?, home, args).await
    }

    /// The same with another binary than the editor's debug build.
    pub async fn open_binary(name: &str, binary: &Path, home: &Home, args: &[&str]) -> Result<Self> {
        let binary = binary.to_owned();
        let (data, log) = (home.data(), home.file("window.log"));
        std::fs::create_dir_all(&data)?;
        let config = home.file("config");
        let dialog = home.dialog_answer();
        let environment = [
            (HOME, data.as_path()),
            (DIALOG, &dialog),
            ("XDG_CONFIG_HOME", &config),
            ("XDG_CACHE_HOME", &config),
            ("XDG_DATA_HOME", &config),
            // The keychain of whoever tests this is not ours.
            ("PLAIT_KEYCHAIN", Path::new("off")),
        ];
        let display = Display::start()?;
        let driver = Driver::start(&display, &environment, &log)?;
        let client = driver.open(&binary, args).await.with_context(|| said(&log))?;
        let app = Self { client, name: name.to_owned(), binary, data, log, _driver: driver, display };
        app.wait_for("#root > *").await.with_context(|| said(&app.log))?;
        Ok(app)
    }

    /// Starts the binary a second time on the same data directory, and gives what it says of that.
    pub fn open_again(&self) -> Result<String> {
        let mut command = Command::new(&self.binary);
        command.env(HOME, &self.data).env("DISPLAY", self.display.name()).env("GDK_BACKEND", "x11");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut second = Owned::new(command.spawn()?);
        let says = second.child().stderr.take().context("no error output")?;
        // It says why at once, then shows a dialog until somebody closes it; here it ends with `second`.
        let mut said = String::new();
        for line in BufReader::new(says).lines() {
            said.push_str(&line?);
            said.push('\n');
            if said.contains("help:") {
                break;
            }
        }
        Ok(said)
    }

    /// The window's own processes.
    pub fn processes(&self) -> Vec<u32> {
        process::running(&self.binary, HOME, &self.data)
    }

    /// Kills the window as `kill -9` does, in the middle of whatever it does.
    pub async fn kill(self) -> Result<()> {
        let pids = self.processes();
        if pids.is_empty() {
            bail!("the window is not running");
        }
        pids.into_iter().for_each(process::kill);
        let start = Instant::now();
        while !self.processes().is_empty() {
            if start.elapsed() > WAIT_TIMEOUT {
                bail!("the window outlived kill -9");
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Closes the window in good order and waits until its process has ended.
    pub async fn close(self) -> Result<()> {
        self.client.clone().close().await?;
        let start = Instant::now();
        while !self.processes().is_empty() {
            if start.elapsed() > WAIT_TIMEOUT {
                bail!("the window did not close");
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Photographs the page into `target/window/<test>-<picture>.png`, for people to look at.
    pub async fn screenshot(&self, picture: &str) -> Result<PathBuf> {
        let into = target().join("window");
        std::fs::create_dir_all(&into)?;
        let path = into.join(format!("{}-{picture}.png", self.name));
        std::fs::write(&path, self.client.screenshot().await?)?;
        Ok(path)
    }

    /// What the window and the driver wrote so far, for the message of a failing test.
    pub fn log(&self) -> String {
        said(&self.log)
    }
}

fn said(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    format!("the window said:\n{text}")
}

fn target() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

fn binary() -> Result<PathBuf> {
    let path = std::env::var_os(BINARY).map_or_else(|| target().join("debug/plait-desktop"), PathBuf::from);
    path.canonicalize().with_context(|| {
        format!(
            "the window has not been built ({}); `cargo xtask test --only window` builds it",
            path.display()
        )
    })
}
