//! The command line of the window: a flow to open, or nothing. Everything else is done by the `plait` command.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

const HELP: &str = "\
Plait: a desktop editor and debugger for LLM flows

Usage: plait-desktop [FLOW | --example ID]

Arguments:
  [FLOW]         Flow file to open

Options:
  --example ID   Open an example flow as an unsaved flow
  -h, --help     Print help
  -V, --version  Print version

If Plait is open already, the flow opens there.

Environment:
  PLAIT_HOME     Data directory

Use `plait` to run flows in the terminal.";

/// What to do at startup.
#[derive(Debug, PartialEq)]
pub(crate) enum StartupAction {
    OpenWindow(InitialFlow),
    /// Print a text and exit.
    Print(String),
}

/// The flow that the window opens with. As JSON, the page and other starts of Plait read it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum InitialFlow {
    #[default]
    None,
    /// A flow file, by its absolute path.
    File(PathBuf),
    /// An example flow, by its ID.
    Example(String),
}

/// Parses the arguments after the program name. The error is a message for the terminal.
pub(crate) fn parse(mut args: impl Iterator<Item = OsString>) -> Result<StartupAction, String> {
    let mut flow = InitialFlow::None;
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("-h" | "--help") => return Ok(StartupAction::Print(HELP.to_owned())),
            Some("-V" | "--version") => {
                return Ok(StartupAction::Print(format!("plait-desktop {}", env!("CARGO_PKG_VERSION"))));
            }
            // Older versions of the macOS Finder add this argument.
            Some(option) if option.starts_with("-psn_") => {}
            Some("--example") if flow == InitialFlow::None => {
                let id = args.next().and_then(|id| id.into_string().ok());
                flow = InitialFlow::Example(
                    id.ok_or("--example requires the id of an example flow, such as hello")?,
                );
            }
            Some(option) if option.starts_with('-') && option != "--example" => {
                return Err(format!("unexpected argument '{option}'; for more information, try '--help'"));
            }
            _ if flow != InitialFlow::None => return Err("only one flow can be opened at a time".to_owned()),
            _ => {
                let path = std::path::absolute(&arg)
                    .map_err(|error| format!("invalid path '{}': {error}", arg.display()))?;
                flow = InitialFlow::File(path);
            }
        }
    }
    Ok(StartupAction::OpenWindow(flow))
}

#[cfg(test)]
mod tests;
