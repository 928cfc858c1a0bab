//! The window's command line: a flow to open, or nothing. Everything else is the terminal's business (`plait`).

use std::ffi::OsString;
use std::path::PathBuf;

const HELP: &str = "\
Plait: a desktop editor and debugger for LLM flows

Usage: plait-desktop [FLOW | --example ID]

  FLOW           a .flow.json file to open
  --example ID   an example to open, as a flow that is not saved yet
  -h, --help     this text
  -V, --version  the version

PLAIT_HOME chooses the data directory. `plait` runs flows in the terminal.";

/// What a command line asks for.
#[derive(Debug, PartialEq)]
pub(crate) enum Asked {
    /// The window.
    Window(Start),
    /// This text and nothing more.
    Text(String),
}

/// What the window opens on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Start {
    /// Nothing
    #[default]
    Empty,
    /// A flow's file, by its absolute path
    Flow(PathBuf),
    /// An example, by its id
    Example(String),
}

/// Reads the arguments that follow the program's name. An error is a sentence for the person.
pub(crate) fn read(mut args: impl Iterator<Item = OsString>) -> Result<Asked, String> {
    let mut start = Start::Empty;
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("-h" | "--help") => return Ok(Asked::Text(HELP.to_owned())),
            Some("-V" | "--version") => {
                return Ok(Asked::Text(format!("plait-desktop {}", env!("CARGO_PKG_VERSION"))));
            }
            // The Finder of old macOS adds this to every start.
            Some(option) if option.starts_with("-psn_") => {}
            Some("--example") if start == Start::Empty => {
                let id = args.next().and_then(|id| id.into_string().ok());
                start = Start::Example(id.ok_or("--example needs the id of an example, such as hello")?);
            }
            Some(option) if option.starts_with('-') && option != "--example" => {
                return Err(format!("there is no option `{option}`; see `plait-desktop --help`"));
            }
            _ if start != Start::Empty => return Err("only one flow can be opened at a time".to_owned()),
            _ => {
                let path = std::path::absolute(&arg)
                    .map_err(|error| format!("`{}` is not a path: {error}", arg.display()))?;
                start = Start::Flow(path);
            }
        }
    }
    Ok(Asked::Window(start))
}

#[cfg(test)]
mod tests;
