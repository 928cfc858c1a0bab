//! Published flows: versions of flows under a name, of which one is served.
//!
//! Each version is a file that never changes, `published/NAME/NUMBER.json`; `current.json` beside it says which one is served. Both are
//! read for each request, so what another process publishes is served at once.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use plait_api::ErrorReply;
use plait_api::hosts::{PublishedFlow, PublishedVersion, Schedule, VersionedFlow};
use plait_core::flow::Flow;
use plait_store::{atomic_file, private_files};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::codes;

/// The file beside the versions of a flow that says which one is served.
const CURRENT: &str = "current.json";
/// The one that says when it begins by itself.
const SCHEDULE: &str = "schedule.json";
/// The most bytes of a name.
const MAX_NAME_BYTES: usize = 64;

/// The flows that a host serves.
#[derive(Clone)]
pub(crate) struct Published(PathBuf);

#[derive(Serialize, Deserialize)]
struct Current {
    version: u32,
}

impl Published {
    pub(crate) fn of(home: &Path) -> Self {
        Self(home.join("published"))
    }

    /// Adds a version and serves it. `published.bad_name`, `published.damaged`.
    pub(crate) fn publish(
        &self,
        name: &str,
        flow: Flow,
        path: Option<String>,
        by: &str,
    ) -> Result<PublishedVersion, ErrorReply> {
        let folder = self.folder(name)?;
        private_files::create_folder(&folder).map_err(|error| damaged(name, &error))?;
        let mut version = VersionedFlow {
            about: PublishedVersion {
                version: self.numbers(name)?.last().map_or(1, |last| last + 1),
                at: Timestamp::now(),
                by: by.to_owned(),
                path,
            },
            flow,
        };
        loop {
            let bytes = serde_json::to_vec_pretty(&version).map_err(|error| damaged(name, &error))?;
            match atomic_file::create(&file_of(&folder, version.about.version), &bytes) {
                Ok(()) => break,
                // Somebody else was faster.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => version.about.version += 1,
                Err(error) => return Err(damaged(name, &error)),
            }
        }
        self.serve(name, version.about.version)?;
        Ok(version.about)
    }

    /// The version that is served. `published.unknown`, `published.bad_name`, `published.damaged`.
    pub(crate) fn current(&self, name: &str) -> Result<VersionedFlow, ErrorReply> {
        let Current { version } = read(name, &self.folder(name)?.join(CURRENT))?;
        self.version(name, version)
    }

    /// What lists say of a flow that is served. The same errors.
    pub(crate) fn served(&self, name: &str) -> Result<PublishedFlow, ErrorReply> {
        Ok(served_flow(name.to_owned(), self.current(name)?, self.schedule(name)?))
    }

    /// A version. The same errors.
    pub(crate) fn version(&self, name: &str, version: u32) -> Result<VersionedFlow, ErrorReply> {
        read(name, &file_of(&self.folder(name)?, version))
    }

    /// Serves a version that was published before. The same errors.
    pub(crate) fn roll_back(&self, name: &str, version: u32) -> Result<PublishedVersion, ErrorReply> {
        let about = self.version(name, version)?.about;
        self.serve(name, version)?;
        Ok(about)
    }

    /// Serves the flow no longer. Its versions are kept. The same errors.
    pub(crate) fn remove(&self, name: &str) -> Result<(), ErrorReply> {
        match fs::remove_file(self.folder(name)?.join(CURRENT)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Err(unknown(name)),
            removed => removed.map_err(|error| damaged(name, &error)),
        }
    }

    /// When a flow begins by itself, if it does. The same errors.
    pub(crate) fn schedule(&self, name: &str) -> Result<Option<Schedule>, ErrorReply> {
        match read(name, &self.folder(name)?.join(SCHEDULE)) {
            Err(error) if error.code == codes::PUBLISHED_UNKNOWN => Ok(None),
            schedule => schedule.map(Some),
        }
    }

    /// Has a flow that is served begin by itself, or no longer. The same errors.
    pub(crate) fn set_schedule(&self, name: &str, schedule: Option<&Schedule>) -> Result<(), ErrorReply> {
        self.current(name)?;
        let path = self.folder(name)?.join(SCHEDULE);
        let Some(schedule) = schedule else {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                removed => removed.map_err(|error| damaged(name, &error)),
            };
        };
        let bytes = serde_json::to_vec(schedule).map_err(|error| damaged(name, &error))?;
        atomic_file::replace_private(&path, &bytes).map_err(|error| damaged(name, &error))
    }

    /// The flows that are served and begin by themselves. The same errors.
    pub(crate) fn schedules(&self) -> Result<Vec<(String, Schedule)>, ErrorReply> {
        let mut schedules = Vec::new();
        for name in names_in(&self.0, "published")? {
            let is_served = self.folder(&name).is_ok_and(|folder| folder.join(CURRENT).exists());
            if is_served && let Some(schedule) = self.schedule(&name)? {
                schedules.push((name, schedule));
            }
        }
        Ok(schedules)
    }

    /// The versions of a flow, the oldest first. The same errors.
    pub(crate) fn versions(&self, name: &str) -> Result<Vec<PublishedVersion>, ErrorReply> {
        let numbers = self.numbers(name)?;
        if numbers.is_empty() {
            return Err(unknown(name));
        }
        numbers.into_iter().map(|number| Ok(self.version(name, number)?.about)).collect()
    }

    /// The flows that are served, by name. `published.damaged`.
    pub(crate) fn list(&self) -> Result<Vec<PublishedFlow>, ErrorReply> {
        let mut served = Vec::new();
        for name in names_in(&self.0, "published")? {
            match self.current(&name) {
                Ok(version) => {
                    let schedule = self.schedule(&name)?;
                    served.push(served_flow(name, version, schedule));
                }
                Err(error) if error.code == codes::PUBLISHED_UNKNOWN => {}
                Err(error) if error.code == codes::PUBLISHED_BAD_NAME => {}
                Err(error) => return Err(error),
            }
        }
        served.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(served)
    }

    fn serve(&self, name: &str, version: u32) -> Result<(), ErrorReply> {
        let bytes = serde_json::to_vec(&Current { version }).map_err(|error| damaged(name, &error))?;
        let path = self.folder(name)?.join(CURRENT);
        atomic_file::replace_private(&path, &bytes).map_err(|error| damaged(name, &error))
    }

    fn numbers(&self, name: &str) -> Result<Vec<u32>, ErrorReply> {
        let files = names_in(&self.folder(name)?, name)?;
        let mut numbers: Vec<u32> =
            files.iter().filter_map(|file| file.strip_suffix(".json")?.parse().ok()).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn folder(&self, name: &str) -> Result<PathBuf, ErrorReply> {
        let is_good = name.len() <= MAX_NAME_BYTES
            && name.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit())
            && name.bytes().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.')
            });
        if is_good {
            return Ok(self.0.join(name));
        }
        let message = format!("`{name}` cannot be the name of a published flow.");
        Err(ErrorReply::new(codes::PUBLISHED_BAD_NAME, message).hint(
            "Use small letters, digits, `-`, `_` and `.`, at most 64 of them, and begin with a letter or a digit.",
        ))
    }
}

fn file_of(folder: &Path, version: u32) -> PathBuf {
    folder.join(format!("{version}.json"))
}

/// What lists say of a version that is served.
fn served_flow(name: String, version: VersionedFlow, schedule: Option<Schedule>) -> PublishedFlow {
    let VersionedFlow { about, flow } = version;
    let (is_chat, takes_input) = (is_chat(&flow), takes_input(&flow));
    PublishedFlow {
        name,
        title: flow.name,
        description: flow.description,
        is_chat,
        takes_input,
        schedule,
        about,
    }
}

/// Whether a run of the flow can be given a text.
pub(crate) fn takes_input(flow: &Flow) -> bool {
    flow.nodes.values().any(|node| node.node_type == "manualInput")
}

/// Whether a flow has a context `main`.
fn is_chat(flow: &Flow) -> bool {
    flow.nodes.values().any(|node| {
        let id = node.config.get("contextId").and_then(|id| id.as_str()).unwrap_or_default();
        node.node_type == "contextStart" && matches!(id, "" | "main")
    })
}

fn names_in(folder: &Path, name: &str) -> Result<Vec<String>, ErrorReply> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(|error| damaged(name, &error))?,
    };
    let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    names.collect::<Result<_, std::io::Error>>().map_err(|error| damaged(name, &error))
}

fn read<T: DeserializeOwned>(name: &str, path: &Path) -> Result<T, ErrorReply> {
    match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Err(unknown(name)),
        Err(error) => Err(damaged(name, &error)),
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| damaged(name, &error)),
    }
}

fn unknown(name: &str) -> ErrorReply {
    let message = format!("No flow is published as `{name}`, or not in this version.");
    ErrorReply::new(codes::PUBLISHED_UNKNOWN, message).hint("`published.list` lists the flows.")
}

fn damaged(name: &str, error: &dyn std::fmt::Display) -> ErrorReply {
    let message = format!("The published flow `{name}` cannot be read or written: {error}.");
    ErrorReply::new(codes::PUBLISHED_DAMAGED, message)
}

#[cfg(test)]
mod tests;
