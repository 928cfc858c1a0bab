//! The files of a knowledge base: listing and opening them. Hidden files and files that `.gitignore` or `.ignore` name
//! belong to no base. Links are not followed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ignore::WalkBuilder;
use plait_core::error::Fault;
use tokio_util::sync::CancellationToken;

use super::document::{SNIFFED_BYTES, check_beginning, max_bytes};
use crate::codes;
use crate::documents::bad_file;
use crate::project_files::{AccessError, FileAccess, ReadableFolder};

/// The most files and folders that are looked at.
const MAX_ENTRIES: usize = 200_000;
/// The most bytes of all files together.
const MAX_TOTAL_BYTES: u64 = 4 << 30;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundFile {
    /// Its name in the base.
    pub(super) source: String,
    /// The root that it belongs to.
    root: usize,
    /// Its path in the root's folder.
    path: PathBuf,
    pub(super) size: u64,
    /// When it was modified, in nanoseconds since the Unix epoch.
    pub(super) modified: u64,
}

/// The folders and files of a base.
pub(super) struct Roots(Vec<Root>);

struct Root {
    folder: ReadableFolder,
    /// The only file that belongs to the base, if not the whole folder does.
    file: Option<PathBuf>,
    /// What stands before the paths of its files, with a slash. Empty for the only folder of a base.
    prefix: String,
}

impl Roots {
    /// Opens the folder or file that a person chose. Faults `knowledge.no_folder`, `knowledge.unsafe_folder`.
    pub(super) fn open(access: &FileAccess, paths: &[String]) -> Result<Self, Fault> {
        let mut prefixes = BTreeSet::new();
        let mut roots = Vec::with_capacity(paths.len());
        for path in paths {
            let path = Path::new(path);
            let is_file = path.metadata().map_err(|error| no_folder(path, &error))?.is_file();
            let folder = if is_file { path.parent().unwrap_or(path) } else { path };
            let folder = access.open_folder(folder).map_err(|error| to_fault(path, &error))?;
            let file = path.file_name().filter(|_| is_file).map(PathBuf::from);
            let name =
                folder.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let mut prefix = name.clone();
            let mut number = 2;
            while !prefixes.insert((prefix.clone(), file.clone())) {
                prefix = format!("{name} {number}");
                number += 1;
            }
            let prefix = if paths.len() == 1 { String::new() } else { format!("{prefix}/") };
            roots.push(Root { folder, file, prefix });
        }
        Ok(Self(roots))
    }

    /// One folder that was opened already.
    pub(super) fn of_folder(folder: ReadableFolder) -> Self {
        Self(vec![Root { folder, file: None, prefix: String::new() }])
    }

    /// The folders to watch for changes.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(|root| root.folder.path())
    }

    /// The files, sorted by their names. `seen` is called for each with their number so far. Faults `knowledge.too_large`,
    /// `knowledge.stopped`.
    pub(super) fn list(
        &self,
        cancel: &CancellationToken,
        mut seen: impl FnMut(u64),
    ) -> Result<Vec<FoundFile>, Fault> {
        let (mut files, mut entries, mut bytes) = (Vec::new(), 0, 0);
        for (index, root) in self.0.iter().enumerate() {
            let start = match &root.file {
                Some(file) => root.folder.path().join(file),
                None => root.folder.path().to_owned(),
            };
            let walk = WalkBuilder::new(start)
                .follow_links(false)
                .hidden(root.file.is_none())
                .parents(false)
                .git_global(false)
                .require_git(false)
                .build();
            for entry in walk.flatten() {
                entries += 1;
                if entries > MAX_ENTRIES {
                    return Err(too_large(&format!("more than {MAX_ENTRIES} files and folders")));
                }
                if cancel.is_cancelled() {
                    return Err(stopped());
                }
                if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                    continue;
                }
                // It may have been removed meanwhile.
                let (Ok(metadata), Ok(path)) =
                    (entry.metadata(), entry.path().strip_prefix(root.folder.path()))
                else {
                    continue;
                };
                let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                let parts = path.iter().map(|part| part.to_string_lossy());
                let source = root.prefix.clone() + &parts.collect::<Vec<_>>().join("/");
                bytes += metadata.len().min(max_bytes(path));
                if bytes > MAX_TOTAL_BYTES {
                    return Err(too_large(&format!("more than {} GB of files", MAX_TOTAL_BYTES >> 30)));
                }
                files.push(FoundFile {
                    source,
                    root: index,
                    path: path.to_owned(),
                    size: metadata.len(),
                    modified: modified.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)),
                });
                seen(files.len() as u64);
            }
        }
        files.sort_by(|a, b| a.source.cmp(&b.source));
        files.dedup_by(|a, b| a.source == b.source);
        Ok(files)
    }

    /// The bytes of a file. Fault `knowledge.bad_file`.
    pub(super) fn read(&self, file: &FoundFile) -> Result<Vec<u8>, Fault> {
        let Some(root) = self.0.get(file.root) else { return Err(bad_file("its folder is gone")) };
        read_in(root, &file.path)
    }

    /// The bytes of the file with this name in the base, and its path. Faults `knowledge.source`, `knowledge.bad_file`.
    pub(super) fn read_source(&self, source: &str) -> Result<(Vec<u8>, PathBuf), Fault> {
        let gone = || {
            let message = format!("There is no file `{source}` in the knowledge base any more.");
            Fault::new(codes::KNOWLEDGE_SOURCE, message)
                .hint("It was moved or removed after it was indexed. Index the knowledge base again.")
        };
        for root in &self.0 {
            let Some(path) = source.strip_prefix(root.prefix.as_str()).map(Path::new) else { continue };
            if root.file.as_ref().is_some_and(|file| file != path) || !root.folder.path().join(path).is_file()
            {
                continue;
            }
            return Ok((read_in(root, path)?, root.folder.path().join(path)));
        }
        Err(gone())
    }
}

fn read_in(root: &Root, path: &Path) -> Result<Vec<u8>, Fault> {
    let (file, _): (File, _) = root.folder.open(path).map_err(|error| bad_file(&error.to_string()))?;
    let limit = max_bytes(path);
    let mut bytes = Vec::new();
    (&file).take(SNIFFED_BYTES).read_to_end(&mut bytes).map_err(|error| bad_file(&error.to_string()))?;
    check_beginning(path, &bytes)?;
    // One more than the limit, if it is larger, even if it grows meanwhile.
    file.take(limit + 1 - bytes.len() as u64)
        .read_to_end(&mut bytes)
        .map_err(|error| bad_file(&error.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(bad_file(&format!("it is larger than {} MB", limit >> 20)));
    }
    Ok(bytes)
}

fn no_folder(path: &Path, why: &dyn std::fmt::Display) -> Fault {
    Fault::new(codes::KNOWLEDGE_NO_FOLDER, format!("`{}` cannot be opened: {why}.", path.display()))
        .hint("Check that it exists and may be read.")
}

/// The fault of a folder that cannot be opened.
pub(super) fn to_fault(path: &Path, error: &AccessError) -> Fault {
    let shown = path.display();
    match error {
        AccessError::UnsafeFolder { .. } => {
            Fault::new(codes::KNOWLEDGE_UNSAFE_FOLDER, format!("`{shown}` is not searched: {error}."))
                .hint("Choose a folder further down that holds the documents only.")
        }
        AccessError::Outside | AccessError::SecretFile => {
            Fault::new(codes::KNOWLEDGE_OUTSIDE, format!("`{shown}` is not searched: {error}.")).hint(
                "Give a folder in the flow's project, or add the folder as a knowledge base by its name.",
            )
        }
        error => no_folder(path, error),
    }
}

fn too_large(what: &str) -> Fault {
    Fault::new(codes::KNOWLEDGE_TOO_LARGE, format!("The knowledge base has {what}."))
        .hint("Choose a folder further down, or leave out files with a `.gitignore` or `.ignore` file.")
}

pub(super) fn stopped() -> Fault {
    Fault::new(codes::KNOWLEDGE_STOPPED, "Indexing was stopped.")
        .hint("Index the knowledge base again when you want it. What was indexed so far is kept.")
}
