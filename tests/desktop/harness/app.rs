//! The window under test: opens it with a temporary data directory, kills it, reopens it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use fantoccini::Client;
use fantoccini::wd::WindowHandle;
use tempfile::TempDir;

use crate::WAIT_TIMEOUT;
use crate::environment::{Display, Driver, clean_command};
use crate::picture;
use crate::process::{self, ChildGuard};

/// The variable that names the window's data directory.
const HOME: &str = "PLAIT_HOME";
/// The variable that answers the window's file dialogs (debug builds only).
const DIALOG: &str = "PLAIT_TEST_DIALOG";
/// The variable that names the binary to test, in place of the debug build.
const BINARY: &str = "PLAIT_DESKTOP";
/// The variable that asks for the pictures of the guide. `cargo xtask images` sets it.
const WRITE_IMAGES: &str = "PLAIT_WRITE_IMAGES";

/// Changes a pixel, which nobody sees, in each frame, and waits for three of them. `WebKit` shows the latest frame that it painted,
/// which is an older one while a new one is due; and a picture of a page in which nothing changes never comes, since the driver waits
/// for the next frame.
const KEEP_PAINTING: &str = "
    const [done] = arguments;
    const pixel = document.createElement('i');
    pixel.id = 'keeps-painting';
    pixel.style.cssText = 'position: fixed; right: 0; bottom: 0; width: 1px; height: 1px; pointer-events: none';
    document.body.append(pixel);
    const paint = (frame) => {
        if (frame === 3) done();
        if (!pixel.isConnected) return;
        pixel.style.background = frame % 2 ? '#00000001' : '#00000002';
        requestAnimationFrame(() => paint(frame + 1));
    };
    paint(0);
";

/// The directory of one test: the window's data, saved flows, and log.
#[derive(Debug)]
pub struct Home(TempDir);

impl Home {
    /// Creates an empty directory.
    pub fn new() -> Result<Self> {
        Ok(Self(tempfile::Builder::new().prefix("plait-window-").tempdir()?))
    }

    /// The path of a file next to the window's data.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The window's data directory.
    pub fn data(&self) -> PathBuf {
        self.file("data")
    }

    /// The path that file dialogs return.
    pub fn dialog_answer(&self) -> PathBuf {
        self.file("chosen.flow.json")
    }

    /// Runs a command of the terminal in this folder with the window's data, to its end. Returns its exit code and
    /// output.
    pub fn terminal(&self, folder: &Path, args: &[&str]) -> Result<(Option<i32>, String)> {
        run_terminal(&built_binary()?, &self.data(), folder, args)
    }
}

/// An open window.
#[derive(Debug)]
pub struct App {
    /// The WebDriver session.
    pub client: Client,
    name: String,
    binary: PathBuf,
    data: PathBuf,
    log: PathBuf,
    // Dropped in this order: first the driver with the window, then the display.
    _driver: Driver,
    display: Display,
}

impl App {
    /// Opens the window for the test `name` with these arguments and waits for its first paint.
    pub async fn open(name: &str, home: &Home, args: &[&str]) -> Result<Self> {
        Self::open_binary(name, &built_binary()?, home, args).await
    }

    /// The same with another binary.
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
            // Do not use the keychain of the developer.
            ("PLAIT_KEYCHAIN", Path::new("off")),
        ];
        let display = Display::start()?;
        let driver = Driver::start(&display, &environment, &log)?;
        let client = driver.open(&binary, args).await.with_context(|| log_excerpt(&log))?;
        let app = Self { client, name: name.to_owned(), binary, data, log, _driver: driver, display };
        app.wait_for("#root > :not(.static-shell)").await.with_context(|| log_excerpt(&app.log))?;
        Ok(app)
    }

    /// Starts the binary again with the same data directory, until it ends or has reported an error. Returns its
    /// output.
    pub fn start_again(&self, args: &[&str]) -> Result<String> {
        let mut command = clean_command(&self.binary);
        command
            .args(args)
            .env(HOME, &self.data)
            .env("DISPLAY", self.display.name())
            .env("GDK_BACKEND", "x11");
        let (reader, writer) = std::io::pipe()?;
        command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        let _again = ChildGuard::new(command.spawn()?);
        // Else the pipe stays open when the process has ended.
        drop(command);
        // After an error it shows a dialog. Dropping the guard ends it.
        let mut output = String::new();
        for line in BufReader::new(reader).lines() {
            output.push_str(&line?);
            output.push('\n');
            if output.contains("help:") {
                break;
            }
        }
        Ok(output)
    }

    /// Runs a command of the terminal with the window's data, to its end. Returns its exit code and output.
    pub fn terminal(&self, args: &[&str]) -> Result<(Option<i32>, String)> {
        run_terminal(&self.binary, &self.data, Path::new("."), args)
    }

    /// The windows of the display with their titles, as the window manager reads them.
    pub fn window_titles(&self) -> Result<String> {
        let mut command = clean_command("xwininfo");
        command.args(["-root", "-tree", "-display", self.display.name()]);
        let output =
            command.output().context("xwininfo cannot be started; `cargo xtask setup` installs it")?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Waits until a window of the display has this title.
    pub async fn wait_for_window_title(&self, title: &str) -> Result<()> {
        let (start, wanted) = (Instant::now(), format!("\"{title}\""));
        loop {
            let titles = self.window_titles()?;
            if titles.contains(&wanted) {
                return Ok(());
            }
            if start.elapsed() > WAIT_TIMEOUT {
                bail!("no window is called {wanted}:\n{titles}");
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }

    /// The processes of the window.
    pub fn processes(&self) -> Vec<u32> {
        process::find_processes(&self.binary, HOME, &self.data)
    }

    /// Kills the window like `kill -9`.
    pub async fn kill(self) -> Result<()> {
        let pids = self.processes();
        if pids.is_empty() {
            bail!("the window is not running");
        }
        pids.iter().copied().for_each(process::kill);
        wait_until_gone(&pids, "outlived kill -9").await
    }

    /// Waits for a window beside these, and drives it from then on.
    pub async fn switch_to_new_window(&self, before: &[WindowHandle]) -> Result<()> {
        loop {
            let windows = self.client.windows().await?;
            if let Some(new) = windows.into_iter().find(|window| !before.contains(window)) {
                return Ok(self.client.switch_to_window(new).await?);
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }

    /// Closes the window and waits until its process has ended.
    pub async fn close(self) -> Result<()> {
        let pids = self.processes();
        self.client.clone().close().await?;
        wait_until_gone(&pids, "did not close").await
    }

    /// Takes a screenshot: `target/gallery/window/<test>-<picture>.png`.
    pub async fn screenshot(&self, picture: &str) -> Result<PathBuf> {
        let into = target_dir().join("gallery/window");
        std::fs::create_dir_all(&into)?;
        let path = into.join(format!("{}-{picture}.png", self.name));
        std::fs::write(&path, self.painted().await?)?;
        Ok(path)
    }

    /// Takes a picture for the guide, `docs/images/<name>.png`, if pictures are asked for.
    pub async fn guide_picture(&self, name: &str) -> Result<()> {
        if std::env::var_os(WRITE_IMAGES).is_none() {
            return Ok(());
        }
        let path = repository().join(format!("docs/images/{name}.png"));
        picture::write_small(&path, &self.painted().await?)
    }

    /// The window as it is painted now, as PNG.
    async fn painted(&self) -> Result<Vec<u8>> {
        self.client.execute_async(KEEP_PAINTING, Vec::new()).await?;
        let picture = self.client.screenshot().await?;
        self.evaluate("document.getElementById('keeps-painting').remove()").await?;
        Ok(picture)
    }

    /// The log of the window and the driver, for messages.
    pub fn log(&self) -> String {
        log_excerpt(&self.log)
    }
}

/// Runs the `plait` beside the window's binary.
fn run_terminal(binary: &Path, data: &Path, folder: &Path, args: &[&str]) -> Result<(Option<i32>, String)> {
    let mut command = clean_command(binary.with_file_name("plait"));
    command.args(args).env(HOME, data).env("NO_COLOR", "1").env("PLAIT_KEYCHAIN", "off");
    let output =
        command.current_dir(folder).stdin(Stdio::null()).output().context("`plait` has not been built")?;
    let text = [output.stdout, output.stderr].concat();
    Ok((output.status.code(), String::from_utf8_lossy(&text).into_owned()))
}

fn log_excerpt(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    format!("log of the window:\n{text}")
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository().join("target"), PathBuf::from)
}

/// The window that was built, or the binary that `PLAIT_DESKTOP` names.
pub fn built_binary() -> Result<PathBuf> {
    let path =
        std::env::var_os(BINARY).map_or_else(|| target_dir().join("debug/plait-desktop"), PathBuf::from);
    path.canonicalize().with_context(|| {
        format!(
            "the window has not been built ({}); `cargo xtask test --only window` builds it",
            path.display()
        )
    })
}

/// Waits until the processes of a window have ended and released their files and locks.
async fn wait_until_gone(pids: &[u32], complaint: &str) -> Result<()> {
    let start = Instant::now();
    while !pids.iter().copied().all(process::has_let_go) {
        if start.elapsed() > WAIT_TIMEOUT {
            bail!("the window {complaint}");
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    Ok(())
}
