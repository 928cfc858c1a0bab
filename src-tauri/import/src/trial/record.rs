//! Executions that other tools exported: what each node put out. n8n has items of numbered outputs; Dify and Rivet have values by name.

use std::borrow::Cow;
use std::collections::BTreeMap;

use plait_core::error::Fault;
use plait_core::id::Epoch;
use serde_json::{Map, Value};

use plait_formats::codes;
use plait_formats::foreign::source;

/// What the nodes of a file put out in one execution.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// By the id of a node, each time that it ran.
    nodes: BTreeMap<String, Vec<Ran>>,
}

/// One time that a node ran.
#[derive(Clone, Debug, Default, PartialEq)]
struct Ran {
    /// Its outputs by name.
    outputs: Map<String, Value>,
    /// The iterations that it ran in, from 0, as far as the record says so: each with the loop, if that is named.
    inside: Vec<(Option<String>, u32)>,
    /// Which one of all nodes that ran it was.
    order: Option<u64>,
    /// The node whose value it got, and which time that ran, from 0.
    after: Option<(String, usize)>,
}

/// Which of the times that a node ran.
#[derive(Clone, Copy, Debug)]
pub(super) enum Time {
    Last,
    /// One of them, from 0.
    At(usize),
}

/// What counts when a node ran several times in one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeated {
    /// The last time: a loop of n8n runs once for each of its iterations.
    Last,
    /// Nothing: the record does not say what is meant.
    Unknown,
}

/// The longest way back from a node to its loop that is followed.
const MAX_STEPS_BACK: usize = 10_000;

impl Record {
    /// Whether a node ran.
    pub(super) fn has(&self, node: &str) -> bool {
        self.count(node) > 0
    }

    /// How often a node ran.
    pub(super) fn count(&self, node: &str) -> usize {
        self.runs(node).len()
    }

    /// What a node put out on an output or, without a name, on all of them.
    pub(super) fn output(&self, node: &str, name: &str, time: Time) -> Option<Cow<'_, Value>> {
        let runs = self.runs(node);
        let ran = match time {
            Time::Last => runs.last(),
            Time::At(at) => runs.get(at),
        };
        let outputs = &ran?.outputs;
        if name.is_empty() {
            Some(Cow::Owned(outputs.clone().into()))
        } else {
            outputs.get(name).map(Cow::Borrowed)
        }
    }

    /// The iterations in which a node ran, each with the time that it ran then. `around` are the nodes of the file that count the
    /// iterations around it, outermost first. Nothing if the record does not say that of each time.
    pub(super) fn times(
        &self,
        node: &str,
        around: &[&str],
        repeated: Repeated,
    ) -> Option<BTreeMap<Epoch, usize>> {
        let counted = self.counted(around)?;
        let mut times = BTreeMap::new();
        for at in 0..self.count(node) {
            let epoch = self.epoch(node, at, around, &counted)?;
            if times.insert(epoch, at).is_some() && repeated == Repeated::Unknown {
                return None;
            }
        }
        Some(times)
    }

    /// The iteration that begins each time that the innermost of the nodes ran which count iterations. Empty where the iterations
    /// themselves are recorded.
    fn counted(&self, around: &[&str]) -> Option<Vec<Epoch>> {
        let Some((head, outer)) = around.split_last() else { return Some(Vec::new()) };
        let runs = self.runs(head);
        if runs.iter().all(|ran| ran.after.is_none()) {
            return Some(Vec::new());
        }
        let before = self.counted(outer)?;
        let mut counted: Vec<Epoch> = Vec::new();
        for at in 0..runs.len() {
            let epoch = match self.nearest_before(head, at, around) {
                // The next iteration, or the first one in the next iteration outside.
                Some((level, time)) if level + 1 == around.len() => counted.get(time)?.next(),
                Some((level, time)) if level + 1 == outer.len() => before.get(time)?.child(0),
                None if outer.is_empty() => Epoch::root().child(0),
                _ => return None,
            };
            counted.push(epoch);
        }
        Some(counted)
    }

    fn epoch(&self, node: &str, at: usize, around: &[&str], counted: &[Epoch]) -> Option<Epoch> {
        let Some(&head) = around.last() else { return Some(Epoch::root()) };
        if counted.is_empty() {
            return self.recorded_epoch(self.runs(node).get(at)?, around);
        }
        if node == head {
            return counted.get(at).cloned();
        }
        match self.nearest_before(node, at, around)? {
            (level, time) if level + 1 == around.len() => counted.get(time).cloned(),
            _ => None,
        }
    }

    /// On the way back from a node to what began the execution, the first of these nodes, by its index, and which time it ran.
    fn nearest_before(&self, node: &str, at: usize, wanted: &[&str]) -> Option<(usize, usize)> {
        let mut ran = self.runs(node).get(at)?;
        for _ in 0..MAX_STEPS_BACK {
            let (before, time) = ran.after.as_ref()?;
            if let Some(level) = wanted.iter().position(|wanted| before == wanted) {
                return Some((level, *time));
            }
            ran = self.runs(before).get(*time)?;
        }
        None
    }

    /// The numbers of the iterations that are recorded with a node. Where only that of the innermost loop is, that loop began before
    /// the node, and its own record has the next one.
    fn recorded_epoch(&self, ran: &Ran, around: &[&str]) -> Option<Epoch> {
        let mut counters = Vec::new();
        let (mut ran, mut is_innermost) = (ran, true);
        for (level, head) in around.iter().enumerate().rev() {
            let number = |ran: &Ran, is_innermost| {
                let mut marks = ran.inside.iter();
                let mark = marks.find(|(of, _)| of.as_deref().map_or(is_innermost, |of| of == *head));
                mark.map(|(_, number)| *number)
            };
            let mut found = number(ran, is_innermost);
            if found.is_none() {
                let (loops, order) = (self.runs(around.get(level + 1)?), ran.order?);
                let before = loops.iter().filter(|one| one.order.is_some_and(|own| own < order));
                ran = before.max_by_key(|one| one.order)?;
                found = number(ran, true);
            }
            counters.push(found?);
            is_innermost = false;
        }
        counters.reverse();
        Some(Epoch::from(counters.as_slice()))
    }

    fn runs(&self, node: &str) -> &[Ran] {
        // Ids of Rivet are those of the graph and the node.
        let last = || self.nodes.get(node.rsplit('/').next().unwrap_or(node));
        self.nodes.get(node).or_else(last).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, node: &str, ran: Ran) {
        self.nodes.entry(node.to_owned()).or_default().push(ran);
    }
}

/// Reads an execution as JSON: of n8n, of Dify, or a recording of Rivet. `import.no_record`.
pub fn read_record(text: &str) -> Result<Record, Fault> {
    let document = source::read(text)?;
    let data = document.get("data").unwrap_or(&document);
    let events = document.pointer("/recording/events").and_then(Value::as_array);
    let executions = data.as_array().filter(|list| list.iter().any(|one| one.get("node_id").is_some()));
    if let Some(run) = data.pointer("/resultData/runData").and_then(Value::as_object) {
        Ok(of_n8n(run))
    } else if let Some(events) = events {
        Ok(of_rivet(events, document.get("strings").unwrap_or(&Value::Null)))
    } else if let Some(executions) = executions {
        Ok(of_dify(executions))
    } else {
        let message = "This is no execution that a flow can be compared with: of n8n, with `data.resultData.runData`; of Dify, a list of \
                       `node_id` with `outputs`; or a recording of Rivet, with `recording.events`.";
        let hint = "n8n's API gives it with `GET /executions/ID?includeData=true`, Dify's log of a run in the answer to `node-executions`.";
        Err(Fault::new(codes::IMPORT_NO_RECORD, message).hint(hint))
    }
}

/// One item is its JSON, several are a list. An output without items has no value.
fn of_n8n(run: &Map<String, Value>) -> Record {
    let items = |items: &Value| {
        let items = items.as_array().into_iter().flatten();
        let mut items: Vec<Value> = items.filter_map(|item| item.get("json").cloned()).collect();
        if items.len() < 2 { items.pop() } else { Some(items.into()) }
    };
    let mut record = Record::default();
    for (name, runs) in run {
        for one in runs.as_array().into_iter().flatten() {
            let outputs =
                one.pointer("/data/main").and_then(Value::as_array).into_iter().flatten().enumerate();
            let outputs = outputs.filter_map(|(at, output)| Some((at.to_string(), items(output)?))).collect();
            let after = one.pointer("/source/0").and_then(|source| {
                let time = source.get("previousNodeRun").and_then(Value::as_u64).unwrap_or(0);
                Some((source.get("previousNode")?.as_str()?.to_owned(), usize::try_from(time).ok()?))
            });
            record.add(name, Ran { outputs, after, ..Ran::default() });
        }
    }
    record
}

/// A node that is tried again has an entry for each time that it failed.
fn of_dify(executions: &[Value]) -> Record {
    let mut record = Record::default();
    let is_last_try = |one: &&Value| one.get("status").is_none_or(|status| status != "retry");
    for one in executions.iter().filter(is_last_try) {
        let Some(node) = one.get("node_id").and_then(Value::as_str) else { continue };
        let values = |key: &str| one.get(key).and_then(Value::as_object).filter(|values| !values.is_empty());
        // What a start puts out is what it got.
        let is_start = one.get("node_type").is_some_and(|kind| kind == "start");
        let outputs = values("outputs").or_else(|| values("inputs").filter(|_| is_start));
        let outputs = outputs.cloned().unwrap_or_default();
        let inside = ["iteration", "loop"].into_iter().filter_map(|kind| {
            let metadata = |name: &str| one.pointer(&format!("/execution_metadata/{kind}_{name}"));
            let number = u32::try_from(metadata("index")?.as_u64()?).ok()?;
            Some((metadata("id").and_then(Value::as_str).map(str::to_owned), number))
        });
        let order = one.get("index").and_then(Value::as_u64);
        record.add(node, Ran { outputs, inside: inside.collect(), order, after: None });
    }
    record
}

/// Values have a type beside them. Long texts stand in a table of their own.
fn of_rivet(events: &[Value], strings: &Value) -> Record {
    let mut record = Record::default();
    for event in events.iter().filter(|event| event.get("type").is_some_and(|kind| kind == "nodeFinish")) {
        let Some(node) = event.pointer("/data/nodeId").and_then(Value::as_str) else { continue };
        let outputs = event.pointer("/data/outputs").and_then(Value::as_object).into_iter().flatten();
        let is_live = |output: &Value| output.get("type").is_none_or(|kind| kind != "control-flow-excluded");
        let live = outputs.filter(|(_, output)| is_live(output));
        let values =
            live.filter_map(|(name, output)| Some((name.clone(), with_texts(output.get("value")?, strings))));
        record.add(node, Ran { outputs: values.collect(), ..Ran::default() });
    }
    record
}

/// The value with the texts of the table in place of their names. Bounded by the depth of JSON.
fn with_texts(value: &Value, strings: &Value) -> Value {
    match value {
        Value::String(text) => {
            let found = text.strip_prefix("$STRING:").and_then(|name| strings.get(name));
            found.unwrap_or(value).clone()
        }
        Value::Array(items) => items.iter().map(|item| with_texts(item, strings)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), with_texts(field, strings))).collect()
        }
        other => other.clone(),
    }
}
