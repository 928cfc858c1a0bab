//! Tests of the real window through WebDriver, on a virtual display that the tests start, and of the packages that it comes in.

use std::process::Command;

use anyhow::{Context, Result};

use super::rust::has_nextest;
use crate::package;
use crate::platform::which;
use crate::steps::{Step, cargo};
use crate::test::Report;

/// All crates: another selection would compile their dependencies again.
const SELECTION: &[&str] = &["--workspace", "--lib", "--bins", "--tests"];

const PACKAGE_TITLE: &str = "The packages install and run";
const PACKAGE_TESTS: &str = "package::";
/// The formats of packages that they look at, with the variable that names each one.
const PACKAGES: &[(&str, &str)] = &[("deb", "PLAIT_PACKAGE_DEB"), ("rpm", "PLAIT_PACKAGE_RPM")];

pub(super) fn run(report: &mut Report) {
    if !cfg!(target_os = "linux") {
        report.skip("The real window", "this system's webview cannot be driven; on Linux it is");
        return;
    }
    report.step("The window compiles", compile);
    report.step("The real window", || Step::new("The real window (WebDriver)", tests()).run());
    if which("dpkg").is_some() && which("rpm").is_some() {
        report.step(PACKAGE_TITLE, try_packages);
    } else {
        report.skip(PACKAGE_TITLE, "this system has no dpkg or no rpm");
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

/// Makes packages of the compiled programs, and runs the tests of the packages.
fn try_packages() -> Result<()> {
    let packages = package::make(true)?;
    let mut test = if has_nextest() {
        let mut test = cargo(&[&["nextest", "run", "--run-ignored", "only"], SELECTION].concat());
        test.arg("-E").arg(format!("package(plait-window-tests) & test({PACKAGE_TESTS})"));
        test
    } else {
        cargo(&["test", "--workspace", "--test", "window", "--", "--ignored", PACKAGE_TESTS])
    };
    for (format, variable) in PACKAGES {
        let package =
            packages.iter().find(|package| package.extension().is_some_and(|extension| extension == *format));
        test.env(variable, package.with_context(|| format!("no {format} package was made"))?);
    }
    Step::new("The packages: one in an empty root, the files of both", test).run()
}
