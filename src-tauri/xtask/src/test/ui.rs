//! The editor's tests: unit tests in Node, then the built pages in Chromium, on the real host (`tests/host`).

use super::rust::Selection;
use crate::browser;
use crate::steps::{Step, npm};
use crate::test::{Report, rust};

pub(super) fn run(report: &mut Report, selection: Selection) {
    report
        .step("Editor tests", || Step::new("Editor tests (Vitest)", npm(&["run", "test"])).run_with_output());
    // A no-op after the Rust tests, which build it with everything else.
    report.step("The host compiles", || rust::compile(selection));
    report.step("Editor in Chromium", || {
        let mut command = npm(&["run", "test:e2e"]);
        if let Some(found) = browser::find() {
            command.env(browser::BROWSER_VARIABLE, found);
        }
        Step::new("Editor in Chromium (Playwright)", command).run_with_output()
    });
}
