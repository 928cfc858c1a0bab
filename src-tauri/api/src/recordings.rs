//! Recordings: a run tree in one file, with all that a replay of it needs. A file is read whole and checked before anything of it is
//! used.
//!
//! A recording takes the place of the store where a fork looks for its earlier run: there is no second way to replay.

mod cache;
mod content;
mod file;
mod listed_servers;
mod mask;
mod record;
mod replay_host;

pub(crate) use cache::{RecordingCache, read_file};
pub(crate) use content::Recording;
pub(crate) use file::damaged;
pub(crate) use listed_servers::ListedServers;
pub(crate) use mask::{Mask, refused};
pub(crate) use record::{names_of_others, recording_of};
pub(crate) use replay_host::{replay_host, with_listed_servers};

use crate::ErrorReply;

/// How many runs a recording has. The errors are those of `recording.read`.
pub fn check_recording(file: &[u8]) -> Result<usize, ErrorReply> {
    Ok(Recording::read(file::check(file)?)?.runs.len())
}
