//! The editor's own tests: units in Node, then the built pages in Chromium.

use crate::browser;
use crate::steps::{Step, npm};
use crate::test::Report;

pub(super) fn run(report: &mut Report) {
    report.step("Editor tests", || Step::new("Editor tests (Vitest)", npm(&["run", "test"])).aloud());
    report.step("Editor in Chromium", || {
        let mut command = npm(&["run", "test:e2e"]);
        if let Some(found) = browser::find() {
            command.env(browser::CHOICE, found);
        }
        Step::new("Editor in Chromium (Playwright)", command).aloud()
    });
}
