//! The Rust tests without a window: unit tests, properties, scenarios with the real binary, doc tests, and a test of the
//! `api` crate that the TypeScript bindings are up to date.

use anyhow::Result;

use crate::platform::succeeds;
use crate::steps::{self, Step, cargo};
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
    report.step("Servers and an editor's client for tests", || {
        steps::install_npm_packages("tests/mcp", "the MCP servers for tests")?;
        steps::install_npm_packages("tests/dap", "the client of the Debug Adapter Protocol for tests")?;
        steps::install_npm_packages("tests/restate", "Restate for tests")
    });
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

/// nextest displays failures better; cargo's own runner is the fallback.
pub(super) fn has_nextest() -> bool {
    succeeds("cargo", &["nextest", "--version"])
}
