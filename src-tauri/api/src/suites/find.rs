//! `suite.find`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::file::{is_suite_file, suites_beside};
use super::service::SuiteService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::flows::is_flow_file;

/// How deep folders are searched.
const MAX_DEPTH: usize = 32;
/// Folders that hold no suites of their own.
const SKIPPED: [&str; 2] = ["node_modules", "target"];

/// `suite.find`: the suites among these files and folders, by path; of a flow's file, those beside it. Folders are searched with what is
/// below them, but for hidden ones. `suite.not_found` if a path is neither.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct FindSuites {
    /// Absolute paths.
    pub paths: Vec<String>,
}

impl Command for FindSuites {
    const NAME: &'static str = "suite.find";
    type Service = SuiteService;
    type Reply = Vec<String>;

    async fn run(self, _: &SuiteService) -> Result<Vec<String>, ErrorReply> {
        run_blocking(move || {
            let mut found = BTreeSet::new();
            for path in self.paths.iter().map(Path::new) {
                if path.is_dir() {
                    search(path, MAX_DEPTH, &mut found);
                } else if path.is_file() && is_suite_file(path) {
                    found.insert(path.to_owned());
                } else if path.is_file() && is_flow_file(path) {
                    found.extend(suites_beside(path).0);
                } else {
                    let message = format!("`{}` is no suite, no flow and no folder.", path.display());
                    return Err(ErrorReply::new(codes::SUITE_NOT_FOUND, message)
                        .hint("The names of suites end with `.tests.yaml` or `.tests.json`."));
                }
            }
            Ok(found.into_iter().map(|path| path.display().to_string()).collect())
        })
        .await
    }
}

fn search(folder: &Path, depth: usize, found: &mut BTreeSet<PathBuf>) {
    // A folder that can't be read has no suites to run.
    let Ok(items) = fs::read_dir(folder) else { return };
    for item in items.flatten() {
        let (path, name) = (item.path(), item.file_name());
        let name = name.to_string_lossy();
        // A link to a folder could lead in a circle.
        let is_folder = item.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && depth > 0 && !name.starts_with('.') && !SKIPPED.contains(&&*name) {
            search(&path, depth - 1, found);
        } else if is_suite_file(&path) && path.is_file() {
            found.insert(path);
        }
    }
}
