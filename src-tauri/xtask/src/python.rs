//! Programs and packages from `PyPI`, each set in a Python environment of its own in `target/`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::platform::succeeds;
use crate::repo;
use crate::steps::{Step, print_note};

/// Succeeds where packages can be installed: Python 3.10 with `venv` and `pip`.
const CHECK: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";

/// Whether environments can be made.
pub(crate) fn is_there() -> bool {
    succeeds("python3", &["-c", CHECK])
}

/// The directory with the programs of the environment `name`, which has the packages of `requirements`, a text in pip's format. Made
/// unless that was done for these versions.
pub(crate) fn environment(name: &str, requirements: &str) -> Result<PathBuf> {
    let home = repo::target().join(name);
    let programs = home.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let installed = home.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|versions| versions == requirements) {
        print_note(&format!("The Python packages of `{name}` are installed"));
        return Ok(programs);
    }
    let mut make = Command::new("python3");
    make.args(["-m", "venv", "--clear"]).arg(&home);
    Step::new("Make a Python environment", make).run()?;
    let wanted = home.join("requirements.txt");
    fs::write(&wanted, requirements)?;
    let mut install = Command::new(programs.join("python"));
    install
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"])
        .arg(wanted);
    Step::new("Install Python packages (the first time may take some minutes)", install).run()?;
    fs::write(installed, requirements)?;
    Ok(programs)
}
