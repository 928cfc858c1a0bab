//! Static checks: formatting, clippy, types, source lints, spelling, dependencies.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::platform::which;
use crate::steps::{Step, cargo, npm};
use crate::test::{Report, acceptance, banned_words, environment_reads, module_cycles};
use crate::{python, repo};

/// The spelling checker, as `PyPI` has it compiled: <https://pypi.org/project/typos/>.
const TYPOS: &str = "typos==1.52.0\n";
/// Finds dependencies that no code uses. It is compiled once, in a minute or two.
const MACHETE: (&str, &str) = ("cargo-machete", "0.9.2");
/// Too large to compile for a test, so it runs where it is installed.
const DENY: &[&str] = &["deny", "--all-features", "check", "bans", "licenses", "sources"];

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
    check_spelling(report);
    report.step("Every dependency is used", || {
        let mut machete = Command::new(install_machete()?);
        machete.current_dir(repo::root());
        Step::new("cargo machete", machete).run()
    });
    if which("cargo-deny").is_some() {
        report.step("Licenses and sources are allowed", || Step::new("cargo deny", cargo(DENY)).run());
    } else {
        report.skip(
            "Licenses and sources are allowed",
            "cargo-deny is not installed (cargo install cargo-deny)",
        );
    }
}

fn check_spelling(report: &mut Report) {
    const TITLE: &str = "Words are spelled right";
    if !python::is_there() {
        report.skip(TITLE, "it needs Python 3.10 or newer with venv and pip (python3-venv)");
        return;
    }
    let Ok(programs) = python::environment("spelling", TYPOS) else {
        report.skip(TITLE, "pip could not install typos: is PyPI reachable?");
        return;
    };
    report.step(TITLE, || {
        let mut typos = Command::new(programs.join("typos"));
        typos.args(["--format", "brief"]).current_dir(repo::root());
        Step::new("typos", typos).run()
    });
}

/// The program, compiled in `target/` unless it is there.
fn install_machete() -> Result<PathBuf> {
    let (name, version) = MACHETE;
    let home = repo::target().join("tools");
    let program = home.join("bin").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        let mut install = cargo(&["install", "--locked", "--quiet", "--version", version, name, "--root"]);
        install.arg(&home);
        Step::new("Compile cargo machete (once, some minutes)", install).run()?;
    }
    Ok(program)
}
