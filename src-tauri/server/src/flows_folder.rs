//! The folder with the flows of a host: the only files that a request may name.

use std::path::{Component, Path, PathBuf};

use plait_api::ErrorReply;
use serde_json::Value;

use crate::codes;

/// The arguments of commands that name files. A test finds those that are missing here.
const FILE_ARGUMENTS: [&str; 6] = ["path", "flowPath", "file", "log", "recording", "paths"];

/// The folder `host/flows` of the data directory. The store's own files are outside of it.
#[derive(Clone)]
pub(crate) struct FlowsFolder(PathBuf);

impl FlowsFolder {
    /// Creates the folder if it is not there. The errors of the system.
    pub(crate) fn of(home: &Path) -> std::io::Result<Self> {
        let folder = home.join("host").join("flows");
        std::fs::create_dir_all(&folder)?;
        Ok(Self(std::fs::canonicalize(folder)?))
    }

    /// Makes the files that the arguments of a command name absolute. `host.path` for one that is not in the folder.
    pub(crate) fn resolve_arguments(&self, args: &mut Value) -> Result<(), ErrorReply> {
        let Value::Object(args) = args else { return Ok(()) };
        for (name, value) in args {
            match value {
                Value::String(path) if FILE_ARGUMENTS.contains(&name.as_str()) || name == "flow" => {
                    *path = self.resolve(path)?;
                }
                Value::Array(paths) if name == "paths" => {
                    for path in paths {
                        if let Value::String(path) = path {
                            *path = self.resolve(path)?;
                        }
                    }
                }
                // The flow of a conversation.
                Value::Object(flow) if name == "flow" && !flow.contains_key("nodes") => {
                    if let Some(Value::String(path)) = flow.get_mut("path") {
                        *path = self.resolve(path)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The absolute path of a file in the folder, which need not exist. `host.path`.
    pub(crate) fn resolve(&self, path: &str) -> Result<String, ErrorReply> {
        let outside = || {
            let message = format!("`{path}` is not in the folder with the flows of the host.");
            ErrorReply::new(codes::HOST_PATH, message).hint("Name a file in that folder, relative to it.")
        };
        let relative = match Path::new(path).strip_prefix(&self.0) {
            Ok(relative) => relative,
            Err(_) => Path::new(path),
        };
        if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(outside());
        }
        let whole = self.0.join(relative);
        // A link may lead out of the folder: what is there of the path decides.
        let there = whole.ancestors().find(|part| part.symlink_metadata().is_ok()).unwrap_or(&self.0);
        let real = std::fs::canonicalize(there).map_err(|_| outside())?;
        if !real.starts_with(&self.0) {
            return Err(outside());
        }
        whole.into_os_string().into_string().map_err(|_| outside())
    }
}

#[cfg(test)]
mod tests {
    use plait_api::command::{Command, CommandVisitor};
    use plait_api::visit_commands;
    use serde_json::json;
    use ts_rs::Config;

    use super::*;

    #[test]
    fn files_outside_of_the_folder_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let folder = FlowsFolder::of(home.path()).unwrap();
        let inside = folder.resolve("team/chat.flow.json").unwrap();
        assert_eq!(folder.resolve(&inside).unwrap(), inside);
        let keys = home.path().join("keys.json").display().to_string();
        for outside in ["../keys.json", "a/../../keys.json", "/etc/passwd", &keys, "./../keys.json"] {
            assert_eq!(folder.resolve(outside).unwrap_err().code, "host.path", "{outside}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(home.path(), folder.0.join("link")).unwrap();
            std::os::unix::fs::symlink("/nowhere", folder.0.join("dangling")).unwrap();
            for link in ["link/keys.json", "link", "dangling", "dangling/x"] {
                assert_eq!(folder.resolve(link).unwrap_err().code, "host.path", "{link}");
            }
        }
        let mut args = json!({ "flow": { "name": "x", "path": "../y" } });
        assert_eq!(folder.resolve_arguments(&mut args).unwrap_err().code, "host.path");
        let mut args = json!({ "paths": ["a", "/b"] });
        assert_eq!(folder.resolve_arguments(&mut args).unwrap_err().code, "host.path");
    }

    struct Fields(Vec<String>);

    impl CommandVisitor for Fields {
        fn visit<C: Command>(&mut self) {
            let config = Config::default();
            let fields = C::inline(&config);
            for part in fields.split([',', '{', '}', ';']) {
                let Some((name, of)) = part.rsplit_once(':') else { continue };
                let name =
                    name.rsplit([' ', '/', '*', '\n']).next().unwrap_or_default().trim_end_matches('?');
                let names_file = ["path", "file", "folder", "log", "dir", "recording"].iter().any(|word| {
                    name.to_lowercase().ends_with(word) || name.to_lowercase().ends_with(&format!("{word}s"))
                });
                if names_file && of.contains("string") && !FILE_ARGUMENTS.contains(&name) {
                    self.0.push(format!("{}: {name}", C::NAME));
                }
            }
        }
    }

    #[test]
    fn every_argument_that_names_a_file_is_known() {
        let mut fields = Fields(Vec::new());
        visit_commands(&mut fields);
        assert_eq!(fields.0, Vec::<String>::new());
    }
}
