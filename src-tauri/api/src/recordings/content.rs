//! What a recording holds, as parts of its file and back.
//!
//! | part | content |
//! |---|---|
//! | `about.json` | the root run, the providers and MCP servers that it used, its conversation |
//! | `runs/<id>.jsonl` | the journal of a run, the root's first |
//! | `flows/<hash>.json` | a flow as it ran |
//! | `attachments/<hash>` | the bytes of an image or file |
//!
//! The names of parts are never used as paths.

use std::collections::BTreeMap;
use std::sync::Arc;

use plait_adapters::ProviderSettings;
use plait_core::error::Fault;
use plait_core::flow::{self, Flow};
use plait_core::hash::content_hash;
use plait_core::id::{AttachmentHash, RunId};
use plait_journal::{Entry, Event, FlowRef, RunEvent};
use plait_llm::context::conversation::{ConversationReader, Summary, SummaryRef};
use plait_llm::context::{Conversation, ConversationRef, SharedMessage};
use plait_llm::tool::ToolSpec;
use plait_run::codes::RUN_NOT_RECORDED;
use serde::{Deserialize, Serialize};

use super::file::{CheckedFile, Part, damaged};
use crate::ErrorReply;
use crate::codes;

const ABOUT: &str = "about.json";

/// A run tree with what a replay of it needs.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    pub(crate) about: About,
    /// The runs of the tree with their journals, the root first.
    pub(crate) runs: Vec<(RunId, Vec<Entry>)>,
    /// The flows as they ran, by hash.
    pub(crate) flows: BTreeMap<String, RecordedFlow>,
    pub(crate) attachments: BTreeMap<AttachmentHash, Arc<[u8]>>,
}

/// A flow as it ran. It is read once, however many runs and readers ask for it.
#[derive(Clone, Debug)]
pub(crate) struct RecordedFlow {
    pub(super) text: String,
    flow: Arc<Flow>,
}

impl RecordedFlow {
    /// Reads the text of the flow with this hash. `recording.damaged`.
    pub(super) fn read(hash: &str, text: String) -> Result<Self, ErrorReply> {
        let flow = flow::read(&text).map_err(|error| damaged(&flow_part(hash), &error.diagnostic.message))?;
        Ok(Self { text, flow: Arc::new(flow) })
    }
}

/// What a recording says beside journals, flows and attachments.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct About {
    /// The version of Plait that wrote it.
    pub(super) plait: String,
    /// The settings of the providers that the runs called. They hold no keys.
    #[serde(default)]
    pub(crate) providers: BTreeMap<String, ProviderSettings>,
    /// The tools of the MCP servers that the runs used.
    #[serde(default)]
    pub(crate) servers: BTreeMap<String, Vec<ToolSpec>>,
    /// What the conversation held that the run continued.
    #[serde(default)]
    pub(super) conversation: Option<RecordedConversation>,
}

/// The messages of a conversation before a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RecordedConversation {
    pub(super) messages: Vec<SharedMessage>,
    pub(super) summary: Option<Summary>,
}

impl Recording {
    /// The root run. A recording has one.
    pub(crate) fn root(&self) -> Option<&RunId> {
        self.runs.first().map(|(run, _)| run)
    }

    /// The journal of a run. `run.unknown`.
    pub(crate) fn entries(&self, run: &RunId) -> Result<&[Entry], Fault> {
        let found = self.runs.iter().find(|(id, _)| id == run);
        found
            .map(|(_, entries)| &entries[..])
            .ok_or_else(|| Fault::new(codes::RUN_UNKNOWN, format!("The recording has no run {run}.")))
    }

    /// Which flow a run ran, as its first event says.
    pub(crate) fn flow_of(&self, run: &RunId) -> Option<&FlowRef> {
        match &self.entries(run).ok()?.first()?.event {
            Event::Run(RunEvent::Started { flow, .. }) => Some(flow),
            _ => None,
        }
    }

    /// A flow as it ran. `recording.damaged`.
    pub(crate) fn flow(&self, hash: &str) -> Result<&Arc<Flow>, ErrorReply> {
        let recorded = self.flows.get(hash).ok_or_else(|| damaged(&flow_part(hash), "it is missing"))?;
        Ok(&recorded.flow)
    }

    /// The conversation that the root continued, as it was then.
    pub(crate) fn conversation(&self, at: &Arc<ConversationRef>) -> Conversation {
        let past = self.about.conversation.clone();
        let none = RecordedConversation { messages: Vec::new(), summary: None };
        Conversation { at: Arc::clone(at), past: Arc::new(past.unwrap_or(none)) }
    }

    /// The parts of its file.
    pub(super) fn to_parts(&self) -> Result<Vec<Part>, ErrorReply> {
        let json = |error: serde_json::Error| {
            let message = format!("The recording can't be written as JSON: {error}.");
            ErrorReply::new(codes::RECORDING_NOT_WRITTEN, message)
        };
        let about = serde_json::to_vec(&self.about).map_err(json)?;
        let mut parts = vec![Part { name: ABOUT.to_owned(), bytes: about }];
        for (run, entries) in &self.runs {
            let mut bytes = Vec::new();
            for entry in entries {
                serde_json::to_writer(&mut bytes, entry).map_err(json)?;
                bytes.push(b'\n');
            }
            parts.push(Part { name: format!("runs/{run}.jsonl"), bytes });
        }
        for (hash, flow) in &self.flows {
            parts.push(Part { name: flow_part(hash), bytes: flow.text.clone().into_bytes() });
        }
        for (hash, bytes) in &self.attachments {
            parts.push(Part { name: format!("attachments/{hash}"), bytes: bytes.to_vec() });
        }
        Ok(parts)
    }

    /// Reads the parts of a file. `recording.damaged` for parts that can't be read, or make no sense together.
    pub(super) fn read(file: CheckedFile<'_>) -> Result<Self, ErrorReply> {
        let parts = file.unpack()?;
        let mut about = None;
        let (mut runs, mut flows, mut attachments) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        for Part { name, bytes } in parts {
            let wrong = |why: &str| damaged(&name, why);
            if name == ABOUT {
                let read: About =
                    serde_json::from_slice(&bytes).map_err(|error| wrong(&error.to_string()))?;
                about = Some(read);
            } else if let Some(run) = name.strip_prefix("runs/").and_then(|name| name.strip_suffix(".jsonl"))
            {
                let run = RunId::from(run);
                let entries = read_journal(&run, &bytes).map_err(|why| wrong(&why))?;
                runs.push((run, entries));
            } else if let Some(flow) = name.strip_prefix("flows/").and_then(|name| name.strip_suffix(".json"))
            {
                if content_hash(&bytes) != flow {
                    return Err(wrong("its name is not its hash"));
                }
                let text = String::from_utf8(bytes).map_err(|_| wrong("it is no text"))?;
                flows.insert(flow.to_owned(), RecordedFlow::read(flow, text)?);
            } else if let Some(attachment) = name.strip_prefix("attachments/") {
                if content_hash(&bytes) != attachment {
                    return Err(wrong("its name is not its hash"));
                }
                attachments.insert(AttachmentHash::from(attachment), bytes.into());
            } else {
                return Err(wrong("recordings have no such part"));
            }
        }
        let about = about.ok_or_else(|| damaged(ABOUT, "it is missing"))?;
        if runs.is_empty() {
            return Err(damaged("runs", "there is no run"));
        }
        let recording = Self { about, runs, flows, attachments };
        for (run, _) in &recording.runs {
            let flow = recording.flow_of(run).ok_or_else(|| damaged("runs", "a run has no beginning"))?;
            recording.flow(&flow.hash)?;
        }
        Ok(recording)
    }
}

/// The journal of a run. What is wrong with it, if anything.
fn read_journal(run: &RunId, bytes: &[u8]) -> Result<Vec<Entry>, String> {
    if uuid::Uuid::try_parse(run.as_str()).is_err() {
        return Err("its name is no run's ID".to_owned());
    }
    let text = str::from_utf8(bytes).map_err(|_| "it is no text".to_owned())?;
    let mut entries: Vec<Entry> = Vec::new();
    for (seq, line) in (0..).zip(text.lines()) {
        let entry: Entry =
            serde_json::from_str(line).map_err(|error| format!("event {seq} can't be read ({error})"))?;
        if entry.seq != Some(seq) {
            return Err(format!("event {seq} has another number"));
        }
        entries.push(entry);
    }
    match entries.first().map(|entry| &entry.event) {
        Some(Event::Run(RunEvent::Started { run: started, .. })) if started == run => Ok(entries),
        _ => Err("it does not begin with the start of its run".to_owned()),
    }
}

fn flow_part(hash: &str) -> String {
    format!("flows/{hash}.json")
}

impl ConversationReader for RecordedConversation {
    fn message(&self, position: u64) -> Result<SharedMessage, Fault> {
        let found = usize::try_from(position).ok().and_then(|position| self.messages.get(position));
        found.cloned().ok_or_else(|| not_recorded("message"))
    }

    fn summary(&self, _: &SummaryRef) -> Result<Summary, Fault> {
        self.summary.clone().ok_or_else(|| not_recorded("summary"))
    }
}

fn not_recorded(what: &str) -> Fault {
    Fault::new(RUN_NOT_RECORDED, format!("The recording lacks a {what} of the conversation."))
}

#[cfg(test)]
mod tests;
