//! The outcome of an activation, as a function of its inputs and the turns before it.

use std::collections::BTreeMap;
use std::rc::Rc;

use plait_engine::Value;
use plait_engine::id::{Activation, ContextId, PortName};
use plait_engine::journal::Answer;
use serde_json::json;

use super::graph::Node;
use crate::journal_summary::{ActivationRecord, Final, History};
use crate::nodes::semantics::{self, Script, Values};

/// The outcome of an activation.
pub enum Outcome {
    /// Its inputs are dead.
    Skipped,
    Ran(Ran),
    /// It fails. The last field says whether the failure is handled.
    Failed(ActivationRecord, BTreeMap<String, Value>, bool),
    /// Its pause is not answered.
    Waits(ActivationRecord),
    /// It depends on a failure that ends the run, or on a pause that is not answered.
    Undecided,
}

#[derive(Default)]
pub struct Ran {
    pub record: ActivationRecord,
    pub outputs: BTreeMap<String, Value>,
    pub makes: Option<ContextId>,
    pub writes: Option<(ContextId, History)>,
}

impl Outcome {
    pub fn is_decided(&self) -> bool {
        match self {
            Self::Skipped | Self::Ran(_) => true,
            Self::Failed(_, _, handled) => *handled,
            Self::Waits(_) | Self::Undecided => false,
        }
    }

    pub fn output(&self, port: &PortName) -> Option<&Value> {
        match self {
            Self::Ran(ran) => ran.outputs.get(port.as_str()),
            Self::Failed(_, outputs, true) => outputs.get(port.as_str()),
            _ => None,
        }
    }
}

/// The outcome of a node that does not fail. `turns` are the turns before it in contexts that it may share.
pub fn ran(
    this: &Activation,
    node: &Node,
    mut record: ActivationRecord,
    values: &Values,
    turns: &[Rc<Outcome>],
    script: Script,
) -> Outcome {
    let mut ran = Ran::default();
    let more = match node.kind.as_str() {
        "ask" => {
            record.pauses = node.settings.again + 1;
            match script.last(this) {
                None => return Outcome::Waits(record),
                Some(Answer::End) => {
                    record.end = Some(Final::Finished(BTreeMap::new()));
                    return Outcome::Ran(Ran { record, ..ran });
                }
                Some(Answer::Value(value)) => Value::clone(&value),
            }
        }
        "effect" => semantics::replies(&node.settings, this).into(),
        "turn" | "guest" => {
            let Some(context) = semantics::works_in(&node.settings, values) else {
                return finished(this, node, record, values, ran, &Value::Null);
            };
            let history: Vec<String> = said_in(turns, &context).into_iter().map(|(_, text)| text).collect();
            let said = semantics::said(&node.settings, this, values, &history);
            let message = |index: usize, text: String| (format!("{this}/{index}").into(), text);
            let added = if semantics::adds_two(&node.settings) {
                vec![message(0, format!("asked {said}")), message(1, said.clone())]
            } else {
                vec![message(0, said.clone())]
            };
            ran.writes = Some((context, added));
            said.into()
        }
        kind => {
            ran.makes = (kind == "context").then(|| this.to_string().into());
            Value::Null
        }
    };
    finished(this, node, record, values, ran, &more)
}

/// The outcome of a node that fails on every attempt.
pub fn failed(this: &Activation, mut record: ActivationRecord, handled: bool, node: &Node) -> Outcome {
    record.end = Some(Final::Failed { code: "test.failed".to_owned(), handled });
    let error = json!({
        "code": "test.failed",
        "message": "It fails on purpose.",
        "node": this.node,
        "details": { "salt": node.settings.salt },
    });
    Outcome::Failed(record, BTreeMap::from([("error".to_owned(), error)]), handled)
}

fn finished(
    this: &Activation,
    node: &Node,
    mut record: ActivationRecord,
    values: &Values,
    mut ran: Ran,
    more: &Value,
) -> Outcome {
    ran.outputs = semantics::outputs(&node.kind, &node.settings, this, values, more);
    record.end = Some(Final::Finished(by_port(&ran.outputs)));
    ran.record = record;
    Outcome::Ran(ran)
}

fn said_in(turns: &[Rc<Outcome>], context: &ContextId) -> History {
    let said = |turn: &Rc<Outcome>| match &**turn {
        Outcome::Ran(Ran { writes: Some((id, added)), .. }) if id == context => added.clone(),
        _ => History::new(),
    };
    turns.iter().flat_map(said).collect()
}

/// The outputs by port.
pub fn by_port(outputs: &BTreeMap<String, Value>) -> BTreeMap<PortName, Value> {
    outputs.iter().map(|(port, value)| (port.as_str().into(), value.clone())).collect()
}
