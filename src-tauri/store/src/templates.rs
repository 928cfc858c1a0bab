//! Templates: flows that a user starts new flows from. One flow file each, so that a copied flow file is a template, too.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use plait_core::error::Fault;

use crate::atomic_file;
use crate::codes;
use crate::fault;
use crate::flow_files::{self, FLOW_ENDING};

/// A template that is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// The name of its file, without extension.
    pub id: String,
    /// When its file was last written, in milliseconds since the Unix epoch.
    pub saved_at: u64,
    /// The flow's text, or why it can't be read.
    pub text: Result<String, Fault>,
}

/// Stores the text of a flow, in place of the template with the same id.
pub(crate) fn put(home: &Path, id: &str, text: &str) -> Result<(), Fault> {
    let file = file(home, id)?;
    fs::create_dir_all(folder(home))
        .and_then(|()| atomic_file::replace_private(&file, text.as_bytes()))
        .map_err(|error| fault::of_io("keep a template", &error))
}

/// All templates, by their ids.
pub(crate) fn all(home: &Path) -> Result<Vec<Template>, Fault> {
    let doing = "list the templates";
    let listing = match fs::read_dir(folder(home)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(|error| fault::of_io(doing, &error))?,
    };
    let mut templates = Vec::new();
    for item in listing {
        let path = item.map_err(|error| fault::of_io(doing, &error))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if let Some(id) = name.and_then(|name| name.strip_suffix(FLOW_ENDING)).filter(|id| is_id(id)) {
            let text = flow_files::read(&path).map(|file| file.text);
            templates.push(Template { id: id.to_owned(), saved_at: modified_at(&path), text });
        }
    }
    templates.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(templates)
}

/// The text of a template. Fault `template.unknown`.
pub(crate) fn text(home: &Path, id: &str) -> Result<String, Fault> {
    match flow_files::read(&file(home, id)?) {
        Err(fault) if fault.code == codes::FLOW_NOT_FOUND => Err(unknown(id)),
        other => Ok(other?.text),
    }
}

/// Removes a template. Fault `template.unknown`.
pub(crate) fn remove(home: &Path, id: &str) -> Result<(), Fault> {
    fs::remove_file(file(home, id)?).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => unknown(id),
        _ => fault::of_io("remove a template", &error),
    })
}

fn modified_at(path: &Path) -> u64 {
    let modified = fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let since_epoch = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX)
}

fn folder(home: &Path) -> PathBuf {
    home.join("templates")
}

fn file(home: &Path, id: &str) -> Result<PathBuf, Fault> {
    if is_id(id) { Ok(folder(home).join(format!("{id}{FLOW_ENDING}"))) } else { Err(unknown(id)) }
}

/// Whether it names a file in the folder itself.
fn is_id(id: &str) -> bool {
    !id.is_empty() && !id.starts_with('.') && !id.contains(['/', '\\', '\0', ':'])
}

fn unknown(id: &str) -> Fault {
    Fault::new(codes::TEMPLATE_UNKNOWN, format!("There is no template `{id}`."))
}
