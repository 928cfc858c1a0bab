//! `search_files`: finds files in the flow's folders by name, or lines in them by text.

use std::io::Read as _;
use std::path::Path;

use ignore::WalkBuilder;
use ignore::overrides::{Override, OverrideBuilder};
use plait_core::error::Fault;
use plait_core::origin::Origin;
use plait_core::text_file;
use plait_llm::grant::CallGrants;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::files;
use super::tool::{CallContext, NativeTool};
use crate::project_files::{AccessError, FileAccess, FlowFolders, FolderFile};
use crate::tools::bad_arguments::bad_arguments;

/// How many results a call returns if the model does not say.
const DEFAULT_RESULTS: usize = 50;
/// How many results a call returns at most.
const MAX_RESULTS: usize = 500;
/// How many files and folders are looked at.
const MAX_ENTRIES: usize = 50_000;
/// How deep folders are looked into.
const MAX_DEPTH: usize = 30;
/// Larger files are not searched, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// How much is read in all, in bytes.
const MAX_READ_BYTES: u64 = 256 << 20;
/// How much of a line is returned, in characters.
const MAX_LINE_CHARS: usize = 300;

pub(super) struct SearchFiles(pub(super) FileAccess);

/// The arguments of `search_files`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Arguments {
    /// The text to find in lines, in any case. If empty, files are listed.
    #[serde(default)]
    text: String,
    /// Which files: a name or a pattern like `*.md` or `notes/**/*.txt`. If empty, all.
    #[serde(default)]
    files: String,
    /// The most results; 50 if empty.
    #[schemars(range(min = 1, max = MAX_RESULTS))]
    max_results: Option<usize>,
}

impl NativeTool for SearchFiles {
    type Arguments = Arguments;
    const NAME: &'static str = "search_files";
    const DESCRIPTION: &'static str = "Searches the text files in the folders of this flow. Returns lines that contain a text, \
        each with its file and number, or lists the files. Hidden files and what `.gitignore` names are left out.";

    async fn call(&self, arguments: Arguments, context: CallContext) -> Result<Value, Fault> {
        let origins = context.origins.clone();
        let found =
            files::blocking(&self.0, context, move |folders, grants| search(folders, grants, &arguments))
                .await?;
        for result in found["results"].as_array().into_iter().flatten() {
            if let Some(file) = result["file"].as_str() {
                origins.add(Origin::File(file.to_owned()));
            }
        }
        Ok(found)
    }
}

fn search(folders: &FlowFolders, grants: &CallGrants, arguments: &Arguments) -> Result<Value, Fault> {
    let wanted = arguments.max_results.unwrap_or(DEFAULT_RESULTS).min(MAX_RESULTS);
    let mut search = Search {
        grants: grants.clone(),
        text: arguments.text.to_lowercase(),
        wanted,
        results: Vec::new(),
        entries_left: MAX_ENTRIES,
        bytes_left: MAX_READ_BYTES,
        complete: true,
    };
    for declared in folders.declared() {
        match folders.find(Path::new(declared.path.trim()), false) {
            Ok(found) => search.folder(&found, declared.path.trim(), &arguments.files)?,
            // A folder that tools write to is created by the first file.
            Err(AccessError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(files::to_fault(&declared.path, &error)),
        }
    }
    Ok(json!({ "results": search.results, "complete": search.complete }))
}

struct Search {
    grants: CallGrants,
    /// In lower case.
    text: String,
    wanted: usize,
    results: Vec<Value>,
    entries_left: usize,
    bytes_left: u64,
    complete: bool,
}

impl Search {
    /// Searches a folder. `prefix` is its path relative to the flow's file.
    fn folder(&mut self, found: &FolderFile, prefix: &str, pattern: &str) -> Result<(), Fault> {
        let root = found.folder.path();
        // Links are not followed, and each file is opened through the folder's capability.
        let chosen = chosen_files(root, pattern)?;
        let walk = WalkBuilder::new(root)
            .require_git(false)
            .parents(false)
            .git_global(false)
            .follow_links(false)
            .max_depth(Some(MAX_DEPTH))
            .sort_by_file_name(Ord::cmp)
            .build();
        for entry in walk.filter_map(Result::ok) {
            if self.entries_left == 0 || self.bytes_left == 0 || self.results.len() >= self.wanted {
                self.complete = false;
                return Ok(());
            }
            self.entries_left -= 1;
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            let Some(path) = entry.path().strip_prefix(root).ok().filter(|_| is_file) else { continue };
            // Not an override of the walk, which would show hidden and ignored files.
            if chosen.is_empty() || chosen.matched(path, false).is_whitelist() {
                self.file(found, path, prefix);
            }
        }
        Ok(())
    }

    fn file(&mut self, found: &FolderFile, path: &Path, prefix: &str) {
        // A file that can't be opened, such as one with secrets, does not exist for a search.
        let Ok((file, absolute)) = found.folder.open(path) else { return };
        // Nor are files in a folder that the person denies.
        if files::check_grants(&self.grants, &absolute, false).is_err() {
            return;
        }
        let shown = Path::new(prefix).join(path);
        let shown = shown.strip_prefix(".").unwrap_or(&shown).to_string_lossy().replace('\\', "/");
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        if self.text.is_empty() {
            self.results.push(json!({ "file": shown, "bytes": size }));
            return;
        }
        if size > MAX_FILE_BYTES {
            self.complete = false;
            return;
        }
        let mut bytes = Vec::new();
        if file.take(MAX_FILE_BYTES.min(self.bytes_left)).read_to_end(&mut bytes).is_err() {
            return;
        }
        self.bytes_left = self.bytes_left.saturating_sub(bytes.len() as u64);
        let Some(decoded) = text_file::decode(&bytes) else { return };
        let lines =
            (1..).zip(decoded.text.lines()).filter(|(_, line)| line.to_lowercase().contains(&self.text));
        for (number, line) in lines {
            if self.results.len() >= self.wanted {
                self.complete = false;
                return;
            }
            let line: String = line.trim().chars().take(MAX_LINE_CHARS).collect();
            self.results.push(json!({ "file": shown, "line": number, "text": line }));
        }
    }
}

/// Which files a pattern chooses. Empty if it is.
fn chosen_files(root: &Path, pattern: &str) -> Result<Override, Fault> {
    let bad = |error: &dyn std::fmt::Display| {
        bad_arguments(SearchFiles::NAME, &[format!("`files` is not a pattern: {error}")])
    };
    let pattern = pattern.trim();
    if pattern.len() > 1_000 || pattern.starts_with('!') {
        return Err(bad(&"use a name or a pattern like `*.md`"));
    }
    let mut builder = OverrideBuilder::new(root);
    if !pattern.is_empty() {
        builder.add(pattern).map_err(|error| bad(&error))?;
    }
    builder.build().map_err(|error| bad(&error))
}
