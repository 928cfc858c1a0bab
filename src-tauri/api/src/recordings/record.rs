//! Makes a recording of what the store has of a run tree.

use std::collections::{BTreeMap, BTreeSet};

use plait_adapters::ProviderSettings;
use plait_core::attachment::AttachmentStore as _;
use plait_core::error::Fault;
use plait_core::id::{AttachmentHash, RunId};
use plait_journal::earlier_run::NotedKeys;
use plait_journal::{CallEvent, Entry, Event, EventRef, RunEvent};
use plait_llm::context::conversation::ConversationReader as _;
use plait_llm::tool::ToolSpec;
use plait_store::Store;
use serde_json::Value;
use tokio::runtime::Handle;

use super::content::{About, RecordedConversation, RecordedFlow, Recording};
use super::file;
use super::listed_servers::ListedServers;
use super::mask::{attachment_hash, text_of};
use crate::ErrorReply;

/// A run of the store and the runs below it.
pub(crate) fn recording_of(
    store: &Store,
    root: &RunId,
    providers: &BTreeMap<String, ProviderSettings>,
) -> Result<Recording, ErrorReply> {
    let mut runs = Vec::new();
    for record in store.tree(root)? {
        let mut entries = store.read_journal(&record.run, 0)?.collect::<Result<Vec<Entry>, Fault>>()?;
        if let Some(Entry { event: Event::Run(RunEvent::Started { flow, .. }), .. }) = entries.first_mut() {
            // Where the file was says nothing on another machine.
            flow.path = None;
        }
        runs.push((record.run, entries));
    }
    let mut recording =
        Recording { about: About::default(), runs, flows: BTreeMap::new(), attachments: BTreeMap::new() };
    for (run, _) in &recording.runs {
        if let Some(hash) = recording.flow_of(run).map(|flow| flow.hash.clone())
            && !recording.flows.contains_key(&hash)
        {
            let flow = RecordedFlow::read(&hash, store.flow(&hash)?)?;
            recording.flows.insert(hash, flow);
        }
    }
    recording.about = About {
        plait: env!("CARGO_PKG_VERSION").to_owned(),
        providers: providers_of(&recording, providers),
        servers: servers_of(&recording)?,
        conversation: conversation_of(&recording, store)?,
    };
    for hash in attachments_of(&recording)?.into_keys() {
        // One that is missing was missing for the run as well.
        if let Ok(bytes) = Handle::current().block_on(store.get(&hash)) {
            recording.attachments.insert(hash, bytes);
        }
    }
    Ok(recording)
}

/// The settings of the providers that were called, without what names a key.
fn providers_of(
    recording: &Recording,
    providers: &BTreeMap<String, ProviderSettings>,
) -> BTreeMap<String, ProviderSettings> {
    let mut found = BTreeMap::new();
    for entry in recording.runs.iter().flat_map(|(_, entries)| entries) {
        if let Event::Call(_, CallEvent::PromptRendered { prompt, .. }) = &entry.event
            && !found.contains_key(&prompt.provider)
            && let Some(settings) = providers.get(&prompt.provider)
        {
            let settings =
                ProviderSettings { key_env: None, key_of: None, key_header: None, ..settings.clone() };
            found.insert(prompt.provider.clone(), settings);
        }
    }
    found
}

/// The tools of MCP servers that the runs of a recording listed.
fn servers_of(recording: &Recording) -> Result<BTreeMap<String, Vec<ToolSpec>>, ErrorReply> {
    let mut servers = ListedServers::default();
    for (run, entries) in &recording.runs {
        if let Some(flow) = recording.flow_of(run) {
            servers.add(recording.flow(&flow.hash)?, entries);
        }
    }
    Ok(servers.0)
}

/// What the conversation held that the root continued.
fn conversation_of(recording: &Recording, store: &Store) -> Result<Option<RecordedConversation>, ErrorReply> {
    let first = recording.runs.first().and_then(|(_, entries)| entries.first());
    let Some(Entry { event: Event::Run(RunEvent::Started { conversation: Some(at), .. }), .. }) = first
    else {
        return Ok(None);
    };
    let past = store.past(&at.id)?;
    let messages = (0..at.messages).map(|position| past.message(position)).collect::<Result<_, _>>()?;
    let summary = at.summary.as_ref().map(|summary| past.summary(summary)).transpose()?;
    Ok(Some(RecordedConversation { messages, summary }))
}

/// The attachments that flows and journals name, with the names of their files.
fn attachments_of(recording: &Recording) -> Result<BTreeMap<AttachmentHash, String>, ErrorReply> {
    let mut found = BTreeMap::new();
    let unreadable = |error: serde_json::Error| file::damaged("runs", &error.to_string());
    for flow in recording.flows.values() {
        collect(&serde_json::from_str(&flow.text).map_err(unreadable)?, &mut found);
    }
    for entry in recording.runs.iter().flat_map(|(_, entries)| entries) {
        collect(&serde_json::to_value(entry).map_err(unreadable)?, &mut found);
    }
    if let Some(conversation) = &recording.about.conversation {
        collect(&serde_json::to_value(conversation).map_err(unreadable)?, &mut found);
    }
    Ok(found)
}

fn collect(value: &Value, found: &mut BTreeMap<AttachmentHash, String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => {
            if let Some(hash) = attachment_hash(fields) {
                let name = fields.get("name").and_then(Value::as_str).unwrap_or_default();
                found.insert(AttachmentHash::from(hash), name.to_owned());
            }
            fields.values().for_each(|field| collect(field, found));
        }
        _ => {}
    }
}

/// The names of attachments that are no texts.
pub(crate) fn names_of_others(recording: &Recording) -> Vec<String> {
    let names = attachments_of(recording).unwrap_or_default();
    let others = recording.attachments.iter().filter(|(_, bytes)| text_of(bytes).is_none());
    let names: BTreeSet<String> = others.filter_map(|(hash, _)| names.get(hash).cloned()).collect();
    names.into_iter().collect()
}

impl Recording {
    /// Puts these keys in place of those that the requests had.
    pub(crate) fn put_keys(&mut self, keys: &NotedKeys) {
        for (run, entries) in &mut self.runs {
            for (seq, entry) in (0..).zip(entries) {
                let at = EventRef { run: run.clone(), seq };
                match &mut entry.event {
                    Event::Call(_, CallEvent::ModelReplied { key: Some(key), .. }) => {
                        if let Some(noted) = keys.replies.get(&at) {
                            key.clone_from(noted);
                        }
                    }
                    Event::Call(_, CallEvent::ToolCalled { binding, .. }) => {
                        if let Some(noted) = keys.bindings.get(&at) {
                            binding.clone_from(noted);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}
