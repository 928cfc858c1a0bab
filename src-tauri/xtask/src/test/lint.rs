//! Static checks: formatting, clippy, types, source lints.

use crate::platform::{succeeds, which};
use crate::steps::{Step, cargo, npm};
use crate::test::{Report, acceptance, banned_words, environment_reads, module_cycles};

/// Tools that run if they are installed.
const OPTIONAL_TOOLS: &[(&str, &[&str])] = &[
    ("cargo-deny", &["deny", "--all-features", "check", "bans", "licenses", "sources"]),
    ("cargo-machete", &["machete"]),
];

/// The checks that need no compiler.
pub(super) fn check_sources(report: &mut Report) {
    report.step("No banned words", banned_words::check);
    report.step("No import circles", module_cycles::check);
    report.step("The tests of the acceptance page exist", acceptance::check);
    report.step("The tests of the table of features exist", acceptance::check_features);
    report.step("The environment is read in one place", environment_reads::check);
}

pub(super) fn run(report: &mut Report) {
    report.step("Rust is formatted", || Step::new("cargo fmt", cargo(&["fmt", "--all", "--check"])).run());
    report.step("Clippy finds nothing", || {
        let args = ["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"];
        Step::new("cargo clippy (the first time takes some minutes)", cargo(&args)).run()
    });
    check_sources(report);
    report.step("The editor is linted", || Step::new("biome", npm(&["run", "lint"])).run());
    report.step("The editor's layers hold", || Step::new("layers", npm(&["run", "layers"])).run());
    report.step("The editor's types hold", || Step::new("tsc", npm(&["run", "typecheck"])).run());
    for (program, args) in OPTIONAL_TOOLS {
        if which(program).is_some() {
            report.step(*program, || Step::new(*program, cargo(args)).run());
        } else {
            report.skip(*program, "not installed (cargo install it to run this too)");
        }
    }
    if succeeds("typos", &["--version"]) {
        report.step("typos", || {
            let mut command = std::process::Command::new("typos");
            command.current_dir(crate::repo::root());
            Step::new("typos", command).run()
        });
    } else {
        report.skip("typos", "not installed (cargo install typos-cli to run this too)");
    }
}
