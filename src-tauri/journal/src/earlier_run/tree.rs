//! What the runs of an earlier run tree recorded, and what of it the new tree has taken.

use std::collections::BTreeSet;
use std::mem;
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

use super::record::{RecordedRun, RecordedToolCall};
use super::{EarlierReply, EarlierRun, OtherReplies, ReplyTurn};
use crate::world_policy::{Misses, WorldPolicy};
use crate::{CallEvent, Entry, Event, EventRef, NodeEvent, RunEvent};
use plait_core::error::Fault;
use plait_core::id::{NodeId, ReplyKey, RunId};
use plait_llm::provider::is_whole_hash;
use plait_llm::tool::ToolResult;

/// The runs of an earlier tree, as all runs of the new tree take them over. Without any, nothing is taken over. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct EarlierTree(Option<Arc<Tree>>);

#[derive(Debug)]
pub(super) struct Tree {
    runs: FxHashMap<RunId, RecordedRun>,
    /// The run that no other one of them started.
    root: Option<RunId>,
    /// The replies to equal requests, in the order of the runs and of their activations.
    replies: FxHashMap<ReplyKey, Vec<Arc<EarlierReply>>>,
    /// The results of equal tool calls, in the same order: the id of the call and the result with its event.
    tool_results: FxHashMap<String, Vec<(String, ToolResult, EventRef)>>,
    /// What the new tree has taken. Each record is taken once, so that five replies to one request stay five.
    taken: Mutex<FxHashSet<EventRef>>,
    /// Whether the new tree runs what it is given, and not what the earlier runs recorded.
    edited: bool,
    /// What the new tree asks the world for.
    world: WorldPolicy,
    /// The replies of other runs, if they count.
    others: Option<Arc<dyn OtherReplies>>,
    /// Whether the replies of an earlier version are among these.
    has_whole_hashes: bool,
    /// The hash of the recording that the runs are read from, if they are not in the store.
    recording: Option<String>,
    /// Where the keys of requests are noted in place of being compared.
    noted: Option<Mutex<NotedKeys>>,
}

/// The keys that a recording gets whose texts have changed, by the events that hold the old ones.
#[derive(Debug, Default)]
pub struct NotedKeys {
    pub replies: FxHashMap<EventRef, ReplyKey>,
    /// What the hosts of tools know besides the arguments, as hashes, by the events of the calls.
    pub bindings: FxHashMap<EventRef, Option<String>>,
}

impl EarlierTree {
    /// The runs of an earlier tree with their entries, the root first. `edited` says whether the new tree runs another flow.
    pub fn of<'e>(runs: impl IntoIterator<Item = (RunId, &'e [Entry])>, edited: bool) -> Self {
        Self::asking(runs, edited, WorldPolicy::default(), None)
    }

    /// The same, where the new tree asks the world for this, and takes replies of `others`, if given.
    pub fn asking<'e>(
        runs: impl IntoIterator<Item = (RunId, &'e [Entry])>,
        edited: bool,
        world: WorldPolicy,
        others: Option<Arc<dyn OtherReplies>>,
    ) -> Self {
        Self(Some(Arc::new(Tree { world, others, ..Tree::of(runs, edited) })))
    }

    /// The tree of a run that is forked from none, and takes replies of `others`.
    pub fn of_other_runs(others: Arc<dyn OtherReplies>) -> Self {
        Self::asking([], false, WorldPolicy::default(), Some(others))
    }

    /// The runs of a recording with this hash, the root first.
    pub fn of_recording<'e>(
        runs: impl IntoIterator<Item = (RunId, &'e [Entry])>,
        (edited, world): (bool, WorldPolicy),
        hash: &str,
    ) -> Self {
        let recording = Some(hash.to_owned());
        Self(Some(Arc::new(Tree { world, recording, ..Tree::of(runs, edited) })))
    }

    /// The same, where each activation takes what it recorded itself, for requests with any key. The keys are noted.
    pub fn noting_keys<'e>(runs: impl IntoIterator<Item = (RunId, &'e [Entry])>, hash: &str) -> Self {
        let world = WorldPolicy { misses: Misses::Fail, ..WorldPolicy::default() };
        let (recording, noted) = (Some(hash.to_owned()), Some(Mutex::default()));
        Self(Some(Arc::new(Tree { world, recording, noted, ..Tree::of(runs, false) })))
    }

    /// The hash of the recording that the earlier runs are read from, if they are not in the store.
    pub fn recording(&self) -> Option<&str> {
        self.0.as_ref()?.recording.as_deref()
    }

    /// The keys that were noted so far.
    pub fn take_noted(&self) -> NotedKeys {
        let noted = self.0.as_ref().and_then(|tree| tree.noted.as_ref());
        noted.map(|noted| mem::take(&mut *noted.lock())).unwrap_or_default()
    }

    /// Whether a run of the new tree runs the flow that it is given, and not the one that the earlier run recorded.
    pub fn is_edited(&self) -> bool {
        self.0.as_ref().is_some_and(|tree| tree.edited)
    }

    /// Whether this run is one of the earlier tree.
    pub fn has_run(&self, run: &RunId) -> bool {
        self.0.as_ref().is_some_and(|tree| tree.runs.contains_key(run))
    }

    /// The names of the tools that the earlier runs called.
    pub fn called_tools(&self) -> BTreeSet<&str> {
        let runs = self.0.iter().flat_map(|tree| tree.runs.values());
        let calls = runs.flat_map(|run| run.activations.values()).flat_map(|recorded| &recorded.tool_calls);
        calls.map(|made| made.call.name.as_str()).collect()
    }

    /// Notes what a run of the new tree has taken so far, from its journal.
    pub fn restore(&self, entries: &[Entry]) {
        let Some(tree) = &self.0 else { return };
        tree.taken.lock().extend(entries.iter().flat_map(|entry| taken_by(&entry.event)));
    }

    /// What a run of the new tree takes over: first of all what `run` recorded, and then what its other runs did. `nodes` are the
    /// nodes that the new run has. `None` if there is no earlier tree.
    pub fn view<'n>(
        &self,
        run: Option<&RunId>,
        nodes: impl IntoIterator<Item = &'n NodeId>,
    ) -> Option<EarlierRun> {
        let tree = Arc::clone(self.0.as_ref()?);
        let run = run.filter(|run| tree.runs.contains_key(*run)).cloned();
        let mut gone: FxHashSet<&NodeId> =
            run.as_ref().and_then(|run| tree.runs.get(run)).map(RecordedRun::nodes).unwrap_or_default();
        for node in nodes {
            gone.remove(node);
        }
        let gone = Arc::new(gone.into_iter().cloned().collect());
        Some(EarlierRun { tree, run, gone, fresh: None, live: Arc::default() })
    }
}

/// The events of other runs that this one is taken from. A child run is taken with its first event.
fn taken_by(event: &Event) -> impl Iterator<Item = EventRef> {
    let (taken, bought) = match event {
        Event::Run(RunEvent::Started { from: Some(from), parent_run_id: Some(_), .. }) => {
            (Some(EventRef { run: from.run.clone(), seq: 0 }), None)
        }
        Event::Call(_, CallEvent::ModelReplied { reused, bought, .. }) => (reused.clone(), bought.clone()),
        Event::Node(_, NodeEvent::Answered { reused, .. })
        | Event::Call(
            _,
            CallEvent::ToolFinished { reused, .. }
            | CallEvent::KnowledgeRetrieved { reused, .. }
            | CallEvent::MemoryRecalled { reused, .. }
            | CallEvent::MemoryRemembered { reused, .. },
        ) => (reused.clone(), None),
        _ => (None, None),
    };
    taken.into_iter().chain(bought)
}

impl Tree {
    pub(super) fn of<'e>(runs: impl IntoIterator<Item = (RunId, &'e [Entry])>, edited: bool) -> Self {
        let mut tree = Self {
            runs: FxHashMap::default(),
            root: None,
            replies: FxHashMap::default(),
            tool_results: FxHashMap::default(),
            taken: Mutex::default(),
            edited,
            world: WorldPolicy::default(),
            recording: None,
            noted: None,
            others: None,
            has_whole_hashes: false,
        };
        for (run, entries) in runs {
            tree.root.get_or_insert_with(|| run.clone());
            tree.add(RecordedRun::of(&run, entries));
        }
        tree
    }

    fn add(&mut self, run: RecordedRun) {
        for activation in &run.order {
            let Some(recorded) = run.activations.get(activation) else { continue };
            for (key, reply) in recorded.replies.values() {
                self.has_whole_hashes |= is_whole_hash(key);
                self.replies.entry(key.clone()).or_default().push(Arc::clone(reply));
            }
            for made in &recorded.tool_calls {
                if let Some((result, seq)) = made.reusable() {
                    let RecordedToolCall { call, binding, .. } = made;
                    let event = EventRef { run: run.run.clone(), seq: *seq };
                    let key = tool_key(&call.name, &call.arguments, binding.as_deref());
                    let results = self.tool_results.entry(key).or_default();
                    results.push((call.id.clone(), result.clone(), event));
                }
            }
        }
        self.runs.insert(run.run.clone(), run);
    }

    pub(super) fn run(&self, run: Option<&RunId>) -> Option<&RecordedRun> {
        self.runs.get(run?)
    }

    pub(super) fn is_edited(&self) -> bool {
        self.edited
    }

    pub(super) fn is_root(&self, run: Option<&RunId>) -> bool {
        run.is_some() && run == self.root.as_ref()
    }

    pub(super) fn world(&self) -> &WorldPolicy {
        &self.world
    }

    /// Takes the record of this event, unless it was taken before.
    pub(super) fn take(&self, event: &EventRef) -> bool {
        self.taken.lock().insert(event.clone())
    }

    /// Whether the recorded request is the one with this key.
    pub(super) fn is_same_request(&self, recorded: &ReplyKey, event: &EventRef, key: &ReplyKey) -> bool {
        let Some(noted) = &self.noted else { return recorded == key };
        noted.lock().replies.insert(event.clone(), key.clone());
        true
    }

    /// Whether a recorded call was one of a tool of this host. `None` stands for a call that says nothing of it.
    pub(super) fn is_same_tool(
        &self,
        recorded: Option<&str>,
        event: Option<EventRef>,
        binding: Option<&str>,
    ) -> bool {
        if let Some((noted, event)) = self.noted.as_ref().zip(event) {
            noted.lock().bindings.insert(event, binding.map(str::to_owned));
            return true;
        }
        // Journals of earlier versions do not say what the host knew. In the same flow it was the same.
        recorded == binding || recorded.is_none() && !self.edited
    }

    pub(super) fn runs(&self) -> impl Iterator<Item = &RecordedRun> {
        self.runs.values()
    }

    pub(super) fn has_whole_hashes(&self) -> bool {
        self.others.is_some() || self.has_whole_hashes
    }

    /// Takes a reply, unless it was taken before.
    pub(super) fn take_reply(&self, reply: &EarlierReply) -> bool {
        let mut taken = self.taken.lock();
        let is_free = reply.events().all(|event| !taken.contains(event));
        if is_free {
            taken.extend(reply.events().cloned());
        }
        is_free
    }

    /// The newest reply of another run to such a request that nobody has taken, if other runs count. What the runs of this tree have is
    /// taken from them, or not at all.
    pub(super) fn take_from_other_runs(&self, key: &ReplyKey) -> Option<EarlierReply> {
        let mut take =
            |reply: &EarlierReply| !self.runs.contains_key(&reply.event.run) && self.take_reply(reply);
        self.others.as_ref()?.find(key, &mut take)
    }

    /// What to do without such a reply, if other runs count.
    pub(super) async fn reply_turn(&self, key: &ReplyKey) -> Result<ReplyTurn, Fault> {
        let Some(others) = &self.others else { return Ok(ReplyTurn::Buy(None)) };
        let mut take =
            |reply: &EarlierReply| !self.runs.contains_key(&reply.event.run) && self.take_reply(reply);
        others.turn(key, &mut take).await
    }

    /// The first reply to such a request that nobody has taken, in an edited tree.
    pub(super) fn take_other_reply(&self, key: &ReplyKey) -> Option<Arc<EarlierReply>> {
        self.replies.get(key).filter(|_| self.edited)?.iter().find(|reply| self.take_reply(reply)).cloned()
    }

    /// The result of an equal call that nobody has taken, in an edited tree: of one with the same id, if there is one.
    pub(super) fn take_other_result(
        &self,
        (id, name): (&str, &str),
        arguments: &Value,
        binding: Option<&str>,
    ) -> Option<(ToolResult, EventRef)> {
        let key = self.edited.then(|| tool_key(name, arguments, binding))?;
        let results = self.tool_results.get(&key)?;
        let same_id = results.iter().filter(|(recorded, ..)| recorded == id);
        let others = results.iter().filter(|(recorded, ..)| recorded != id);
        let (_, result, event) = same_id.chain(others).find(|(.., event)| self.take(event))?;
        Some((result.clone(), event.clone()))
    }
}

/// Equal for equal calls. As JSON, so that different parts never produce the same text.
fn tool_key(name: &str, arguments: &Value, binding: Option<&str>) -> String {
    json!([name, binding, arguments]).to_string()
}
