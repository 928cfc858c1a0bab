//! The recording that a fork is read from in place of the store, if it is one.

use std::sync::Arc;

use plait_core::flow::Flow;
use plait_core::id::RunId;
use plait_journal::world_policy::Misses;
use plait_journal::{Entry, Event, RecordingRef, RunEvent, RunOrigin};
use plait_llm::context::{Conversation, ConversationRef};

use super::Launch;
use crate::ErrorReply;
use crate::flows::text::{read_recorded, recorded_flow};
use crate::recordings::{ListedServers, Recording, replay_host, with_listed_servers};

impl Launch {
    /// The recording that a run is read from: its own, or for a child run that of its tree.
    pub(super) fn open_recording(
        &self,
        file: Option<&RecordingRef>,
    ) -> Result<Option<Arc<Recording>>, ErrorReply> {
        if let Some(file) = file {
            let recording = self.recordings.find(file)?;
            if !self.store.is_read_only() {
                recording.store_attachments(&self.store)?;
            }
            return Ok(Some(recording));
        }
        Ok(self.host.earlier.recording().and_then(|hash| self.recordings.get(hash)))
    }

    pub(super) fn recorded_flow(
        &self,
        hash: &str,
        recording: Option<&Recording>,
    ) -> Result<Flow, ErrorReply> {
        match recording {
            Some(recording) => recording.flow(hash).map(|flow| Flow::clone(flow)),
            None => recorded_flow(&self.store, hash),
        }
    }

    pub(super) fn recorded_conversation(
        &self,
        at: &Arc<ConversationRef>,
        recording: Option<&Recording>,
    ) -> Result<Conversation, ErrorReply> {
        match recording {
            Some(recording) => Ok(recording.conversation(at)),
            None => self.open_conversation(at),
        }
    }

    /// Keeps the tree of a fork from asking anyone, if that is what it is to do.
    pub(super) fn replay(
        &mut self,
        from: &RunOrigin,
        recording: Option<&Recording>,
    ) -> Result<(), ErrorReply> {
        if from.world.misses != Misses::Fail || !from.world.live.is_empty() {
            return Ok(());
        }
        let known = recording.is_none().then(|| self.recording_before(&from.run)).flatten();
        let host = self.host.clone();
        self.host = match recording.or(known.as_deref()) {
            Some(recording) => replay_host(host, &recording.about)?,
            None => with_listed_servers(host, self.listed_servers(&from.run)?),
        };
        Ok(())
    }

    /// The tools of MCP servers that a run of the store and the runs below it listed.
    fn listed_servers(&self, root: &RunId) -> Result<ListedServers, ErrorReply> {
        let mut servers = ListedServers::default();
        for record in self.store.tree(root)? {
            let text = self.store.flow(&record.flow.hash)?;
            if !ListedServers::may_be_of(&text) {
                continue;
            }
            // A run that can't be read listed nothing.
            let Ok(entries) = self.store.read_damaged_journal(&record.run) else { continue };
            let entries: Vec<Entry> = entries.filter_map(Result::ok).collect();
            servers.add(&read_recorded(&text)?, &entries);
        }
        Ok(servers)
    }

    /// The recording that a run of the store is a replay of, if its file is still there.
    fn recording_before(&self, run: &RunId) -> Option<Arc<Recording>> {
        let first = self.store.read_journal(run, 0).ok()?.next()?.ok()?;
        let Event::Run(RunEvent::Started { from, .. }) = first.event else { return None };
        self.recordings.find(from?.recording.as_ref()?).ok()
    }
}
