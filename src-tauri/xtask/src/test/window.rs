//! Tests of the real window through WebDriver, on a virtual display that the tests start.

use super::rust::has_nextest;
use crate::steps::{Step, cargo};
use crate::test::Report;

pub(super) fn run(report: &mut Report) {
    if !cfg!(target_os = "linux") {
        report.skip("The real window", "this system's webview cannot be driven; on Linux it is");
        return;
    }
    report.step("The window compiles", || {
        let args = ["build", "--workspace", "--lib", "--bins", "--tests"];
        Step::new("Compile the window (the first time takes some minutes)", cargo(&args)).run()
    });
    report.step("The real window", || {
        let select = ["--workspace", "--lib", "--bins", "--tests"];
        let args = if has_nextest() {
            [&["nextest", "run", "--no-fail-fast"], &select[..], &["-E", "package(plait-window-tests)"]]
                .concat()
        } else {
            // One window at a time: two are too slow on two cores.
            vec!["test", "--no-fail-fast", "--workspace", "--test", "window", "--", "--test-threads", "1"]
        };
        Step::new("The real window (WebDriver)", cargo(&args)).run_with_output()
    });
}
