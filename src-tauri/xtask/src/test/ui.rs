//! The editor's tests: unit tests in Node, then the built pages in Chromium, on the real host (`tests/host`).

use std::sync::mpsc::Receiver;

use crate::steps::{Step, npm};
use crate::test::Report;
use crate::{browser, scratch};

/// Runs the tests. Those in Chromium wait until the host is `compiled`.
pub(super) fn run(report: &mut Report, compiled: &Receiver<()>) {
    report
        .step("Editor tests", || Step::new("Editor tests (Vitest)", npm(&["run", "test"])).run_with_output());
    // The other lane sends nothing: it drops the sender once it has compiled.
    let _ = compiled.recv();
    report.step("Editor in Chromium", || {
        let mut command = npm(&["run", "test:e2e"]);
        if let Some(found) = browser::find() {
            command.env(browser::BROWSER_VARIABLE, found);
        }
        scratch::use_memory(&mut command);
        Step::new("Editor in Chromium (Playwright)", command).run_with_output()
    });
}
