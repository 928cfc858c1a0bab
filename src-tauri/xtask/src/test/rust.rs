//! The Rust tests without a window: unit tests, properties, scenarios with the real binary, doc tests, and a test of the
//! `api` crate that the TypeScript bindings are up to date.

use anyhow::Result;

use crate::platform::succeeds;
use crate::repo;
use crate::steps::{Step, cargo, npm_in, print_note};
use crate::test::Report;

/// Which crates are compiled together. Features are chosen for a whole selection, so the steps of one run share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Selection {
    /// The default members: no webview is linked
    Headless,
    /// All crates, the window too
    Everything,
}

impl Selection {
    pub(super) fn args(self) -> &'static [&'static str] {
        match self {
            // `xtask` is not a default member, so `cargo test` does not build it.
            Self::Headless => &["--lib", "--bins", "--tests"],
            Self::Everything => &["--workspace", "--lib", "--bins", "--tests"],
        }
    }
}

pub(super) fn run(report: &mut Report, selection: Selection) {
    report.step("MCP servers for tests", install_mcp_servers);
    report.step("Rust tests", || {
        // Half of the time of a test is waiting: for processes that it started, for servers, for limits that it reaches.
        let threads = (2 * std::thread::available_parallelism().map_or(1, usize::from)).to_string();
        let args = if has_nextest() {
            [
                &["nextest", "run", "--no-fail-fast", "--test-threads", &threads],
                selection.args(),
                &["-E", "not package(plait-window-tests)"],
            ]
            .concat()
        } else {
            let exclude: &[&str] =
                if selection == Selection::Everything { &["--exclude", "plait-window-tests"] } else { &[] };
            [&["test", "--no-fail-fast"], selection.args(), exclude].concat()
        };
        Step::new("Rust tests", cargo(&args)).run_with_output()
    });
    report.step("Rust doc tests", || {
        // The same crates as above: another selection would recompile everything.
        let whole: &[&str] = if selection == Selection::Everything { &["--workspace"] } else { &[] };
        let args = [&["test", "--doc"], whole].concat();
        Step::new("Rust doc tests", cargo(&args)).run_with_output()
    });
}

/// Builds the tests and all binaries, also those that other tests run.
pub(super) fn compile(selection: Selection) -> Result<()> {
    let args = [&["build"], selection.args()].concat();
    Step::new("Compile the Rust tests (the first time takes some minutes)", cargo(&args)).run()
}

/// Installs the reference MCP servers exactly as locked, without running scripts of theirs, unless that was done for this lock
/// file.
fn install_mcp_servers() -> Result<()> {
    let folder = repo::root().join("tests/mcp");
    let lock = repo::newest_modification(&folder.join("package-lock.json"));
    let installed = repo::newest_modification(&folder.join("node_modules/.package-lock.json"));
    if installed.is_some() && installed >= lock {
        print_note("The MCP servers for tests are installed");
        return Ok(());
    }
    let install = npm_in(&folder, &["ci", "--ignore-scripts", "--no-progress"]);
    Step::new("Install the MCP servers for tests", install).run()
}

/// nextest displays failures better; cargo's own runner is the fallback.
pub(super) fn has_nextest() -> bool {
    succeeds("cargo", &["nextest", "--version"])
}
