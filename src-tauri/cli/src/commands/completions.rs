//! `plait completions`.

use std::io::Write as _;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::exit::{CliError, ExitStatus};
use crate::terminal::stdout;

#[derive(Debug, Args)]
#[command(after_help = "\
Where they go:
  bash        plait completions bash > ~/.local/share/bash-completion/completions/plait
  zsh         plait completions zsh > a folder in $fpath, as _plait
  fish        plait completions fish > ~/.config/fish/completions/plait.fish
  powershell  plait completions powershell >> $PROFILE")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn execute(args: &CompletionsArgs, mut command: Command) -> Result<ExitStatus, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "plait", &mut script);
    stdout().write_all(&script)?;
    Ok(ExitStatus::Success)
}
