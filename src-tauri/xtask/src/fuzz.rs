//! `cargo xtask fuzz`: searches for inputs that crash Plait, hang it or exhaust its memory. The targets and the search
//! are in the crate `plait-fuzz`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};
use clap::Args;

use crate::repo;
use crate::steps::{Step, cargo};

/// All targets, in the order in which they run.
const TARGETS: [&str; 14] = [
    "flow",
    "pipeline",
    "import",
    "journal",
    "expression",
    "template",
    "schema",
    "recording",
    "program",
    "response",
    "answer",
    "dap",
    "document",
    "suite",
];

#[derive(Args)]
pub(crate) struct FuzzArgs {
    /// Only this target: flow, pipeline, import, journal, expression, template, schema, recording, program, response, answer, dap, document or suite
    #[arg(value_parser = TARGETS)]
    target: Option<String>,
    /// How long each target is tested
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// Chooses the inputs; random by default, and printed
    #[arg(long)]
    seed: Option<u64>,
    /// Handle this input of the target once, and print what it leads to
    #[arg(long, requires = "target", conflicts_with_all = ["seconds", "seed"])]
    input: Option<PathBuf>,
}

pub(crate) fn run(args: &FuzzArgs) -> Result<()> {
    let targets: Vec<&str> = args.target.as_deref().map_or_else(|| TARGETS.to_vec(), |target| vec![target]);
    // Unoptimized: then overflows and failed debug assertions are findings too.
    Step::new("Build the fuzz targets", cargo(&["build", "--workspace", "--bin", "plait-fuzz"])).run()?;
    let executable = repo::target().join("debug").join(format!("plait-fuzz{}", std::env::consts::EXE_SUFFIX));
    let mut failed = Vec::new();
    for target in targets {
        let mut command = Command::new(&executable);
        command.arg(target);
        match (&args.input, args.seed) {
            (Some(input), _) => {
                command.arg("--input").arg(input);
            }
            (None, seed) => {
                command.args(["--seconds", &args.seconds.to_string()]);
                command.args(seed.iter().flat_map(|seed| ["--seed".to_owned(), seed.to_string()]));
            }
        }
        // Without the timeout of other steps: it takes as long as it was asked to.
        if Step::new(format!("Fuzz {target}"), command).run_in_foreground().is_err() {
            failed.push(target);
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        bail!("findings in {}; they are saved in target/fuzz", failed.join(", "))
    }
}
