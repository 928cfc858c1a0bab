//! The folder with the flows of a host: the only files that a request may name.

use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use plait_api::command::Command as _;
use plait_api::flows::{SaveFlow, is_flow_file};
use plait_api::hosts::HostFile;
use plait_api::{ErrorReply, confine_projects};
use plait_store::private_files;
use serde_json::Value;

use crate::codes;

/// The arguments of commands that name files. A test finds those that are missing here.
const FILE_ARGUMENTS: [&str; 6] = ["path", "flowPath", "file", "log", "recording", "paths"];
/// Those whose names mean something else in other commands.
const OTHER_FILE_ARGUMENTS: [(&str, &str); 1] = [(SaveFlow::NAME, "source")];

/// The most files that are listed.
const MAX_FILES: usize = 1_000;
/// How many folders below the folder are looked into, one in the other.
const MAX_DEPTH: usize = 8;

#[derive(Clone)]
pub(crate) struct FlowsFolder(PathBuf);

impl FlowsFolder {
    /// Creates the folder if it is not there. `host.path` if it cannot be created, or if the data directory `home` is in it: a request
    /// could name its files then. No flow finds a sub-flow outside of the folder, if this comes before the application is opened.
    pub(crate) fn open(folder: &Path, home: &Path) -> Result<Self, ErrorReply> {
        let failed = |error: std::io::Error| {
            let message =
                format!("The folder with the flows, `{}`, cannot be used: {error}.", folder.display());
            ErrorReply::new(codes::HOST_PATH, message)
        };
        // Before the folder, which may be in it.
        private_files::create_folder(home).map_err(failed)?;
        std::fs::create_dir_all(folder).map_err(failed)?;
        let (folder, home) =
            (std::fs::canonicalize(folder).map_err(failed)?, std::fs::canonicalize(home).map_err(failed)?);
        if home.starts_with(&folder) {
            let message =
                format!("The data directory is in `{}`, the folder with the flows.", folder.display());
            return Err(
                ErrorReply::new(codes::HOST_PATH, message).hint("Choose another folder with `--flows`.")
            );
        }
        confine_projects(&folder);
        Ok(Self(folder))
    }

    /// Makes the files that the arguments of a command name absolute. `host.path` for one that is not in the folder.
    pub(crate) fn resolve_arguments(&self, command: &str, args: &mut Value) -> Result<(), ErrorReply> {
        let Value::Object(args) = args else { return Ok(()) };
        for (name, value) in args {
            match value {
                Value::String(path) if is_file_argument(command, name) || name == "flow" => {
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

    /// The flow and pipeline files in the folder and those below it, by path; at most [`MAX_FILES`]. Links are not followed.
    pub(crate) fn files(&self) -> Vec<HostFile> {
        let (mut found, mut folders) = (Vec::new(), vec![self.0.clone()]);
        while let Some(folder) = folders.pop() {
            // A folder that cannot be read has no flows to show.
            let Ok(items) = std::fs::read_dir(&folder) else { continue };
            for item in items.flatten() {
                let path = item.path();
                let Ok(kind) = item.file_type() else { continue };
                if kind.is_dir() && folder.components().count() < self.0.components().count() + MAX_DEPTH {
                    folders.push(path);
                } else if kind.is_file() && is_flow_file(&path) {
                    found.extend(self.listed(&path, &item));
                }
            }
        }
        found.sort_by(|one, other| one.path.cmp(&other.path));
        found.truncate(MAX_FILES);
        found
    }

    fn listed(&self, path: &Path, item: &std::fs::DirEntry) -> Option<HostFile> {
        let relative = path.strip_prefix(&self.0).ok()?;
        let parts = relative.iter().map(|part| part.to_str()).collect::<Option<Vec<_>>>()?;
        let modified = item.metadata().and_then(|metadata| metadata.modified()).ok();
        let modified = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        Some(HostFile {
            path: parts.join("/"),
            modified_at: u64::try_from(modified.as_millis()).unwrap_or(u64::MAX),
        })
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

/// Whether an argument of a command names a file.
fn is_file_argument(command: &str, name: &str) -> bool {
    FILE_ARGUMENTS.contains(&name) || OTHER_FILE_ARGUMENTS.contains(&(command, name))
}

#[cfg(test)]
mod tests;
