//! The window's command line: a flow to open, or nothing. Everything else is the terminal's business (`plait`).

use std::ffi::OsString;
use std::path::PathBuf;

const HELP: &str = "\
Plait: a desktop editor and debugger for LLM flows

Usage: plait-desktop [FLOW]

  FLOW           a .flow.json file to open
  -h, --help     this text
  -V, --version  the version

PLAIT_HOME chooses the data directory. `plait` runs flows in the terminal.";

/// What a command line asks for.
#[derive(Debug, PartialEq)]
pub(crate) enum Asked {
    /// The window, on a flow or on none.
    Window {
        /// The flow's absolute path.
        flow: Option<PathBuf>,
    },
    /// This text and nothing more.
    Text(String),
}

/// Reads the arguments that follow the program's name. An error is a sentence for the person.
pub(crate) fn read(args: impl Iterator<Item = OsString>) -> Result<Asked, String> {
    let mut flow = None;
    for arg in args {
        match arg.to_str() {
            Some("-h" | "--help") => return Ok(Asked::Text(HELP.to_owned())),
            Some("-V" | "--version") => {
                return Ok(Asked::Text(format!("plait-desktop {}", env!("CARGO_PKG_VERSION"))));
            }
            // The Finder of old macOS adds this to every start.
            Some(option) if option.starts_with("-psn_") => {}
            Some(option) if option.starts_with('-') => {
                return Err(format!("there is no option `{option}`; see `plait-desktop --help`"));
            }
            _ if flow.is_some() => return Err("only one flow can be opened at a time".to_owned()),
            _ => {
                let path = std::path::absolute(&arg)
                    .map_err(|error| format!("`{}` is not a path: {error}", arg.display()))?;
                flow = Some(path);
            }
        }
    }
    Ok(Asked::Window { flow })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &[&str]) -> Result<Asked, String> {
        super::read(args.iter().map(OsString::from))
    }

    #[test]
    fn a_flow_becomes_an_absolute_path() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(read(&["a.flow.json"]), Ok(Asked::Window { flow: Some(here.join("a.flow.json")) }));
        assert_eq!(read(&[]), Ok(Asked::Window { flow: None }));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert!(read(&["--nonsense"]).unwrap_err().contains("--nonsense"));
        assert!(read(&["a", "b"]).unwrap_err().contains("one flow"));
    }
}
