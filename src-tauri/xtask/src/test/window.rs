//! Tests of the real window through WebDriver, on a virtual display that the tests start, and of the package that it comes in.

use std::process::Command;

use anyhow::{Context, Result};

use super::rust::has_nextest;
use crate::package;
use crate::platform::which;
use crate::steps::{Step, cargo};
use crate::test::Report;

/// All crates: another selection would compile their dependencies again.
const SELECTION: &[&str] = &["--workspace", "--lib", "--bins", "--tests"];

const PACKAGE_TITLE: &str = "The package installs and runs";
/// The test of the package, and the variable that tells it which one.
const PACKAGE_TEST: &str = "package_installs_into_an_empty_root";
const PACKAGE: &str = "PLAIT_PACKAGE";

pub(super) fn run(report: &mut Report) {
    if !cfg!(target_os = "linux") {
        report.skip("The real window", "this system's webview cannot be driven; on Linux it is");
        return;
    }
    report.step("The window compiles", compile);
    report.step("The real window", || Step::new("The real window (WebDriver)", tests()).run_with_output());
    if which("dpkg").is_some() {
        report.step(PACKAGE_TITLE, try_package);
    } else {
        report.skip(PACKAGE_TITLE, "this system has no dpkg");
    }
}

/// Compiles the window and its tests.
pub(crate) fn compile() -> Result<()> {
    let args = [&["build"], SELECTION].concat();
    Step::new("Compile the window (the first time takes some minutes)", cargo(&args)).run()
}

/// Runs the tests of the window.
pub(crate) fn tests() -> Command {
    if has_nextest() {
        cargo(
            &[&["nextest", "run", "--no-fail-fast"], SELECTION, &["-E", "package(plait-window-tests)"]]
                .concat(),
        )
    } else {
        // One window at a time: two are too slow on two cores.
        cargo(&["test", "--no-fail-fast", "--workspace", "--test", "window", "--", "--test-threads", "1"])
    }
}

/// Packages what the tests have compiled, and runs the test that installs it.
fn try_package() -> Result<()> {
    let packages = package::make(true)?;
    let package =
        packages.iter().find(|package| package.extension().is_some_and(|extension| extension == "deb"));
    let mut test = if has_nextest() {
        let mut test = cargo(&[&["nextest", "run", "--run-ignored", "only"], SELECTION].concat());
        test.arg("-E").arg(format!("test({PACKAGE_TEST})"));
        test
    } else {
        cargo(&["test", "--workspace", "--test", "window", "--", "--ignored", PACKAGE_TEST])
    };
    test.env(PACKAGE, package.context("no Debian package was made")?);
    Step::new("The package in an empty root", test).run_with_output()
}
