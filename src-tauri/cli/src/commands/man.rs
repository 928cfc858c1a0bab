//! `plait man`.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man;
use plait_api::ErrorReply;

use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::terminal::stdout;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait man | man -l -
  plait man --dir ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write the pages of all commands into this folder instead of printing that of `plait`.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn execute(args: &ManArgs, command: Command) -> Result<ExitStatus, CliError> {
    let Some(dir) = &args.dir else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        stdout().write_all(&page)?;
        return Ok(ExitStatus::Success);
    };
    // `plait help run` is in the page of `run`.
    let command = command.disable_help_subcommand(true);
    let written = fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(command, dir));
    written.map_err(|error| {
        let message = format!("The manual pages cannot be written to `{}`: {error}.", dir.display());
        ErrorReply::new(codes::OUTPUT_FAILED, message).hint("Choose a folder that you can write to.")
    })?;
    writeln!(stdout(), "Wrote the manual pages to {}.", dir.display())?;
    Ok(ExitStatus::Success)
}
