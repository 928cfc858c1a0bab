//! Executions that other tools exported: what each node put out. n8n has items of numbered outputs; Dify and Rivet have values by name.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use plait_core::error::Fault;
use serde_json::{Map, Value};

use crate::{codes, source};

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
    /// In which iteration of the loop around it, from 0, if the record says so.
    iteration: Option<u32>,
    /// The node whose value it got, and which time that ran, from 0.
    after: Option<(String, usize)>,
}

/// Which of the times that a node ran.
#[derive(Clone, Copy, Debug)]
pub(super) enum Time<'a> {
    Last,
    /// In an iteration of the loop that a node of the file is.
    Iteration {
        head: &'a str,
        number: u32,
    },
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

    /// What a node put out on an output or, without a name, on all of them: the last time that it put out something there.
    pub(super) fn output(&self, node: &str, name: &str, time: Time<'_>) -> Option<Cow<'_, Value>> {
        let runs = self.runs(node);
        let counts = |at: usize| match time {
            Time::Last => at + 1 == runs.len(),
            Time::Iteration { head, number } => self.iteration(node, at, head) == Some(number),
        };
        let found = runs.iter().enumerate().rev().filter(|(at, _)| counts(*at));
        found.map(|(_, ran)| &ran.outputs).find_map(|outputs| {
            if name.is_empty() {
                Some(Cow::Owned(outputs.clone().into()))
            } else {
                outputs.get(name).map(Cow::Borrowed)
            }
        })
    }

    /// The iterations of a loop in which a node ran. Nothing if the record does not say that of each time.
    pub(super) fn iterations(&self, node: &str, head: &str) -> Option<BTreeSet<u32>> {
        (0..self.count(node)).map(|at| self.iteration(node, at, head)).collect()
    }

    /// In which iteration of a loop a node ran one time: as its record says, or as often as the loop had run before it, on the way back.
    fn iteration(&self, node: &str, at: usize, head: &str) -> Option<u32> {
        let mut ran = self.runs(node).get(at)?;
        for _ in 0..MAX_STEPS_BACK {
            if ran.iteration.is_some() {
                return ran.iteration;
            }
            let (before, time) = ran.after.as_ref()?;
            if before == head {
                return u32::try_from(*time).ok();
            }
            ran = self.runs(before).get(*time)?;
        }
        None
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
            record.add(name, Ran { outputs, iteration: None, after });
        }
    }
    record
}

fn of_dify(executions: &[Value]) -> Record {
    let mut record = Record::default();
    for one in executions {
        if let Some(node) = one.get("node_id").and_then(Value::as_str) {
            let outputs = one.get("outputs").and_then(Value::as_object).cloned().unwrap_or_default();
            let number =
                |name: &str| one.pointer(&format!("/execution_metadata/{name}")).and_then(Value::as_u64);
            let iteration = number("iteration_index").or_else(|| number("loop_index"));
            let iteration = iteration.and_then(|number| u32::try_from(number).ok());
            record.add(node, Ran { outputs, iteration, after: None });
        }
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
