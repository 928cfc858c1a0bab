//! Summarizes a journal by activation, and checks that it is consistent.

use std::collections::{BTreeMap, BTreeSet};

use plait_core::Value;
use plait_core::id::{Activation, ContextId, Epoch, MessageId, NodeId, PortName};
use plait_journal::{
    ContextEvent, Entry, Event, LoopEvent, MemoryEvent, NodeEvent, RunEvent, SkipReason, SourceRef,
};
use plait_llm::context::ContextChange;

/// The final state of an activation.
#[derive(Clone, Debug, PartialEq)]
pub enum Final {
    Finished(BTreeMap<PortName, Value>),
    Failed { code: String, handled: bool },
    Skipped(SkipReason),
}

/// What a journal records of one activation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActivationRecord {
    /// The sources of its inputs.
    pub ready: Option<BTreeMap<PortName, Vec<SourceRef>>>,
    /// The number of its last attempt.
    pub attempts: u32,
    pub pauses: u32,
    /// What it saw of the workflow's memory.
    pub seen: Option<Vec<String>>,
    pub end: Option<Final>,
}

/// The messages of a context: ids and texts.
pub type History = Vec<(MessageId, String)>;

/// A journal, summarized.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JournalSummary {
    pub activations: BTreeMap<Activation, ActivationRecord>,
    /// The epochs that cycles opened after their first, each as an activation of the entry.
    pub epochs: BTreeSet<Activation>,
    /// The iterations of loops, each as an activation of the loop, and whether it succeeded. Nothing while it is open.
    pub iterations: BTreeMap<Activation, Option<bool>>,
    pub exhausted: BTreeSet<Activation>,
    /// The contexts of the flow itself.
    pub contexts: BTreeMap<ContextId, History>,
    /// The contexts of nodes in loops, with their iterations.
    in_loops: BTreeMap<(ContextId, Epoch), History>,
    /// The turns of the workflow's memory.
    pub memory: Vec<String>,
    /// What was done in contexts and in the memory in iterations of loops, and neither counts nor is discarded yet.
    pending: BTreeMap<Activation, Vec<Event>>,
    pub waiting: Vec<Vec<Activation>>,
    /// The event that ended the run.
    pub end: Option<Event>,
}

macro_rules! ensure {
    ($holds:expr, $($why:tt)*) => {
        if !$holds {
            return Err(format!($($why)*));
        }
    };
}

/// Summarizes a journal. The error says where it contradicts itself.
pub fn summarize(entries: &[Entry]) -> Result<JournalSummary, String> {
    summarize_entries(entries).map_err(|why| format!("{why}\n{}", format_journal(entries)))
}

fn summarize_entries(entries: &[Entry]) -> Result<JournalSummary, String> {
    let mut summary = JournalSummary::default();
    let mut written: BTreeMap<Activation, Vec<&Event>> = BTreeMap::new();
    for (place, entry) in entries.iter().enumerate() {
        ensure!(entry.seq == Some(place as u64), "entries are numbered without gaps, {place} is not");
        ensure!(summary.end.is_none(), "nothing follows the end of a run, but entry {place} does");
        ensure!(
            matches!(entry.event, Event::Run(RunEvent::Started { .. })) == (place == 0),
            "run.started comes first"
        );
        summary.take(&entry.event, &mut written)?;
    }
    if summary.end.is_some() {
        for (at, record) in &summary.activations {
            ensure!(record.end.is_some(), "{at} has no final state");
        }
    }
    Ok(summary)
}

impl JournalSummary {
    #[expect(clippy::too_many_lines, reason = "one arm for each type of event")]
    fn take<'a>(
        &mut self,
        event: &'a Event,
        written: &mut BTreeMap<Activation, Vec<&'a Event>>,
    ) -> Result<(), String> {
        match event {
            Event::Node(Activation { node, epoch }, NodeEvent::Ready { inputs }) => {
                for source in inputs.values().flatten() {
                    let is_border = ["index", "item", "previous", "next"].contains(&source.port.as_str());
                    if is_border && self.iterations.contains_key(&at(&source.node, &source.epoch)) {
                        continue;
                    }
                    let from = self.activations.get(&at(&source.node, &source.epoch));
                    let delivered = from.and_then(|record| record.end.as_ref());
                    ensure!(
                        matches!(delivered, Some(Final::Finished(out)) if out.contains_key(&source.port))
                            || matches!(delivered, Some(Final::Failed { handled: true, .. })),
                        "{node}{epoch} is ready with a value of {source:?} that was not given"
                    );
                }
                let record = self.record(node, epoch);
                ensure!(
                    record.ready.replace(with_one_entrance(inputs, "edge:")).is_none()
                        && record.end.is_none(),
                    "{node}{epoch} is ready twice"
                );
            }
            Event::Node(Activation { node, epoch }, NodeEvent::Started { attempt }) => {
                let is_test = self.is_test(node, epoch);
                let record = self.record(node, epoch);
                // The test of a loop's condition has no inputs of its own.
                ensure!(record.ready.is_some() || is_test, "{node}{epoch} starts before it is ready");
                ensure!(record.end.is_none(), "{node}{epoch} starts again after its end");
                ensure!(
                    *attempt == record.attempts || *attempt == record.attempts + 1,
                    "{node}{epoch}: try {attempt} follows {}",
                    record.attempts
                );
                record.attempts = *attempt;
            }
            Event::Node(Activation { node, epoch }, NodeEvent::Retrying { attempt, .. }) => {
                let attempts = self.record(node, epoch).attempts;
                ensure!(
                    attempts == *attempt,
                    "{node}{epoch}: try {attempt} failed, but the last was {attempts}"
                );
            }
            Event::Node(Activation { node, epoch }, NodeEvent::Paused { .. }) => {
                self.record(node, epoch).pauses += 1;
            }
            Event::Node(Activation { node, epoch }, NodeEvent::Finished { outputs, metadata, .. }) => {
                if let Some(seen) = metadata.extra.get("seen") {
                    let seen = serde_json::from_value(seen.clone()).map_err(|error| error.to_string())?;
                    self.record(node, epoch).seen = Some(seen);
                }
                for event in written.remove(&at(node, epoch)).into_iter().flatten() {
                    if is_pending(event) {
                        self.pending.entry(at(node, epoch)).or_default().push(event.clone());
                    } else {
                        self.write(event)?;
                    }
                }
                let outputs = outputs.iter().map(|(port, value)| (port.clone(), Value::clone(value)));
                self.finish(node, epoch, Final::Finished(outputs.collect()))?;
            }
            Event::Node(Activation { node, epoch }, NodeEvent::Failed { error, handled, .. }) => {
                written.remove(&at(node, epoch));
                self.finish(node, epoch, Final::Failed { code: error.code.to_string(), handled: *handled })?;
            }
            Event::Node(Activation { node, epoch }, NodeEvent::Skipped { reason, .. }) => {
                self.finish(node, epoch, Final::Skipped(*reason))?;
            }
            Event::Context(
                Activation { node, epoch },
                ContextEvent::Created { .. }
                | ContextEvent::Changed { .. }
                | ContextEvent::TurnCommitted { .. },
            )
            | Event::Memory(Activation { node, epoch }, _) => {
                written.entry(at(node, epoch)).or_default().push(event);
            }
            Event::Loop(Activation { node, epoch }, LoopEvent::Iteration) => {
                let new = self.epochs.insert(at(node, epoch));
                ensure!(new, "{node}{epoch} opens twice");
            }
            Event::Loop(iteration, LoopEvent::IterationStarted) => {
                let before = self.iterations.insert(iteration.clone(), None);
                ensure!(before.is_none(), "iteration {iteration} starts twice");
            }
            Event::Loop(iteration, LoopEvent::IterationFinished { error, .. }) => {
                let before = self.iterations.insert(iteration.clone(), Some(error.is_none()));
                ensure!(before == Some(None), "iteration {iteration} ends, but {before:?}");
            }
            Event::Context(_, ContextEvent::Merged { activations }) => {
                for activation in activations {
                    for event in self.pending.remove(activation).into_iter().flatten() {
                        self.write(&event)?;
                    }
                }
            }
            Event::Context(_, ContextEvent::Discarded { activations }) => {
                for activation in activations {
                    self.pending.remove(activation);
                }
            }
            Event::Loop(Activation { node, epoch }, LoopEvent::Exhausted { .. }) => {
                let new = self.exhausted.insert(at(node, epoch));
                ensure!(new, "{node}{epoch} is exhausted twice");
            }
            Event::Run(RunEvent::Waiting { on, .. }) => self.waiting.push(on.clone()),
            Event::Run(RunEvent::Finished { .. } | RunEvent::Failed { .. } | RunEvent::Canceled { .. }) => {
                self.end = Some(event.clone());
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether an activation tests the condition of a loop that runs.
    fn is_test(&self, node: &NodeId, epoch: &Epoch) -> bool {
        let around = epoch.depth().checked_sub(1).map(|depth| at(node, &epoch.prefix(depth)));
        around
            .and_then(|around| self.activations.get(&around))
            .is_some_and(|record| record.attempts > 0 && record.end.is_none())
    }

    fn record(&mut self, node: &NodeId, epoch: &Epoch) -> &mut ActivationRecord {
        self.activations.entry(at(node, epoch)).or_default()
    }

    fn finish(&mut self, node: &NodeId, epoch: &Epoch, end: Final) -> Result<(), String> {
        let record = self.record(node, epoch);
        let ran = record.attempts > 0;
        ensure!(
            ran || matches!(end, Final::Skipped(_)),
            "{node}{epoch} ends as {end:?} though it never started"
        );
        let before = record.end.replace(end);
        ensure!(before.is_none(), "{node}{epoch} ends twice: {before:?}, then {:?}", record.end);
        Ok(())
    }

    fn write(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Context(maker, ContextEvent::Created { context, .. }) => {
                let id = context.context_id.clone();
                let scope = scope_of(maker, &id)?;
                let made = if scope.depth() == 0 {
                    self.contexts.insert(id, History::new())
                } else {
                    self.in_loops.insert((id, scope), History::new())
                };
                ensure!(made.is_none(), "{} is made twice", context.context_id);
            }
            Event::Context(
                writer,
                ContextEvent::Changed { context_id, change: ContextChange::Messages { messages }, .. }
                | ContextEvent::TurnCommitted { context_id, messages, .. },
            ) => {
                let scopes = (1..=writer.epoch.depth()).rev().map(|depth| writer.epoch.prefix(depth));
                let mut keys = scopes.map(|scope| (context_id.clone(), scope));
                let history = match keys.find(|key| self.in_loops.contains_key(key)) {
                    Some(key) => self.in_loops.get_mut(&key),
                    None => self.contexts.get_mut(context_id),
                };
                let history = history.ok_or("a context is used before it is made")?;
                for message in messages {
                    ensure!(
                        history.iter().all(|(id, _)| *id != message.id),
                        "message {} is in {context_id} twice",
                        message.id
                    );
                    history.push((message.id.clone(), message.content.text()));
                }
            }
            Event::Memory(_, MemoryEvent::Appended { change, .. }) => {
                self.memory.extend(change.turns.iter().map(|turn| turn.text.clone()));
            }
            other => return Err(format!("no test node writes {other:?}")),
        }
        Ok(())
    }
}

/// The sources of inputs. Sources that only lead into the body of a loop count as one. Their names begin with a prefix.
pub fn with_one_entrance(
    inputs: &BTreeMap<PortName, Vec<SourceRef>>,
    prefix: &str,
) -> BTreeMap<PortName, Vec<SourceRef>> {
    let (entrances, mut own): (BTreeMap<_, _>, BTreeMap<_, _>) =
        inputs.clone().into_iter().partition(|(port, _)| port.as_str().starts_with(prefix));
    let mut sources: Vec<SourceRef> = entrances.into_values().flatten().collect();
    if !sources.is_empty() {
        sources.sort_by_key(|source| (source.node.clone(), source.epoch.clone(), source.port.clone()));
        own.insert("entrance".into(), sources);
    }
    own
}

/// Whether a change counts only when its iteration has succeeded.
fn is_pending(event: &Event) -> bool {
    matches!(
        event,
        Event::Context(
            _,
            ContextEvent::Changed { pending: true, .. } | ContextEvent::TurnCommitted { pending: true, .. }
        ) | Event::Memory(_, MemoryEvent::Appended { pending: true, .. })
    )
}

/// The iterations of loops that a context is of: its name counts only the cycles around its maker inside of them.
fn scope_of(maker: &Activation, context: &ContextId) -> Result<Epoch, String> {
    let counters = context.as_str().split_once('#').map_or(0, |(_, counters)| counters.split('.').count());
    let depth = maker.epoch.depth().checked_sub(counters);
    let scope = maker.epoch.prefix(depth.ok_or("a context is named after epochs that its maker has not")?);
    let cycles = Epoch(maker.epoch.0[scope.depth()..].into());
    ensure!(
        context.as_str() == at(&maker.node, &cycles).to_string(),
        "{maker} makes a context that is named {context}"
    );
    Ok(scope)
}

pub fn at(node: &NodeId, epoch: &Epoch) -> Activation {
    Activation { node: node.clone(), epoch: epoch.clone() }
}

/// The events that speak of each node, in order, without what may differ between schedules: times.
pub fn events_by_node(entries: &[Entry]) -> BTreeMap<NodeId, Vec<Event>> {
    let mut record: BTreeMap<NodeId, Vec<Event>> = BTreeMap::new();
    for entry in entries {
        let mut event = entry.event.clone();
        if let Event::Node(_, NodeEvent::Finished { metadata, .. }) = &mut event {
            metadata.duration_ms = 0;
        }
        let value = serde_json::to_value(&event).unwrap();
        if let Some(node) = value["node"].as_str() {
            record.entry(node.into()).or_default().push(event);
        }
    }
    record
}

/// A journal as readable text, one line per entry.
pub fn format_journal(entries: &[Entry]) -> String {
    let line = |entry: &Entry| {
        let mut value = serde_json::to_value(&entry.event).unwrap();
        let map = value.as_object_mut().unwrap();
        let kind = map.remove("type").unwrap();
        let node = map.remove("node").map(|node| node.as_str().unwrap().to_owned()).unwrap_or_default();
        let epoch: Epoch =
            map.remove("epoch").map(|epoch| serde_json::from_value(epoch).unwrap()).unwrap_or_default();
        map.remove("metadata");
        format!("{:>4} {} {node}{epoch} {value}\n", entry.seq.unwrap(), kind.as_str().unwrap())
    };
    entries.iter().map(line).collect()
}
