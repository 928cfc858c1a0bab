//! The Rust tests that need no window: units, properties, scenarios through the real binary, doc tests, and
//! whether the TypeScript bindings are what the Rust types say (a test of the `api` crate).

use crate::platform::succeeds;
use crate::steps::{Step, cargo};
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
    fn args(self) -> &'static [&'static str] {
        match self {
            // Also our own chores, which are no default member so that `cargo test` need not know them.
            Self::Headless => &["--lib", "--bins", "--tests"],
            Self::Everything => &["--workspace", "--lib", "--bins", "--tests"],
        }
    }
}

pub(super) fn run(report: &mut Report, selection: Selection) {
    report.step("Rust compiles", || {
        let args = [&["build"], selection.args()].concat();
        Step::new("Compile the Rust tests (the first time takes some minutes)", cargo(&args)).quietly()
    });
    report.step("Rust tests", || {
        let args = if has_nextest() {
            [
                &["nextest", "run", "--no-fail-fast"],
                selection.args(),
                &["-E", "not package(plait-window-tests)"],
            ]
            .concat()
        } else {
            let exclude: &[&str] =
                if selection == Selection::Everything { &["--exclude", "plait-window-tests"] } else { &[] };
            [&["test", "--no-fail-fast"], selection.args(), exclude].concat()
        };
        Step::new("Rust tests", cargo(&args)).aloud()
    });
    report.step("Rust doc tests", || {
        // Of the same crates as above: with others cargo would compile everything once more.
        let whole: &[&str] = if selection == Selection::Everything { &["--workspace"] } else { &[] };
        let args = [&["test", "--doc"], whole].concat();
        Step::new("Rust doc tests", cargo(&args)).aloud()
    });
}

/// nextest shows failures better; without it cargo's own runner does.
pub(super) fn has_nextest() -> bool {
    succeeds("cargo", &["nextest", "--version"])
}
