//! The editor's tests: unit tests in Node, then the built pages in Chromium, on the real host (`tests/host`).

use crate::browser;
use crate::steps::{Step, npm};
use crate::test::Report;

/// The unit tests, which need no browser and no host.
pub(super) fn run_units(report: &mut Report) {
    report.step("Editor tests", || Step::new("Editor tests (Vitest)", npm(&["run", "test"])).run());
}

/// The tests in Chromium, on the host that was compiled before.
pub(super) fn run(report: &mut Report) {
    report.step("Editor in Chromium", || {
        let mut command = npm(&["run", "test:e2e"]);
        if let Some(found) = browser::find() {
            command.env(browser::BROWSER_VARIABLE, found);
        }
        Step::new("Editor in Chromium (Playwright)", command).run_with_output()
    });
}
