//! A run being watched, whichever process drives it.

use std::collections::VecDeque;

use plait_journal::Entry;

use super::client::RemoteWatch;
use super::frames;
use crate::ErrorReply;
use crate::hosts::HostWatch;
use crate::runs::Watch;

/// The entries of a run, here or elsewhere.
pub struct ConnectionWatch(Source);

enum Source {
    Here(Box<Watch>),
    Elsewhere { remote: RemoteWatch, entries: VecDeque<Entry> },
    OnHost(Box<HostWatch>),
}

impl ConnectionWatch {
    pub(super) fn here(watch: Watch) -> Self {
        Self(Source::Here(Box::new(watch)))
    }

    pub(super) fn on_host(watch: HostWatch) -> Self {
        Self(Source::OnHost(Box::new(watch)))
    }

    pub(super) fn elsewhere(remote: RemoteWatch) -> Self {
        Self(Source::Elsewhere { remote, entries: VecDeque::new() })
    }

    /// As [`Watch::next`]. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Result<Entry, ErrorReply>> {
        match &mut self.0 {
            Source::Here(watch) => watch.next().await,
            Source::OnHost(watch) => watch.next().await,
            Source::Elsewhere { remote, entries } => {
                if entries.is_empty() {
                    match remote.next_batch().await.and_then(frames::from_value::<Option<Vec<Entry>>>) {
                        Ok(batch) => entries.extend(batch?),
                        Err(error) => return Some(Err(error)),
                    }
                }
                entries.pop_front().map(Ok)
            }
        }
    }
}
