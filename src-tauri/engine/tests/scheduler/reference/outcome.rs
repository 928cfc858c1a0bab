//! What an activation comes to, given its inputs and what was said before it.

use std::collections::BTreeMap;
use std::rc::Rc;

use plait_engine::Value;
use plait_engine::id::{Activation, ContextId, PortName};
use plait_engine::journal::Answer;
use serde_json::json;

use super::graph::Node;
use crate::nodes::meaning::{self, Script, Values};
use crate::reading::{Final, History, Told};

/// What an activation comes to.
pub enum Outcome {
    /// Its inputs are dead.
    Skipped,
    Ran(Ran),
    /// It fails, and that is handled or not.
    Failed(Told, BTreeMap<String, Value>, bool),
    /// Nobody answers it.
    Waits(Told),
    /// It depends on a failure that ends the run, or on a pause that nobody answers.
    Undecided,
}

#[derive(Default)]
pub struct Ran {
    pub told: Told,
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

/// What a node comes to that does not fail; `turns` is what was said before by those who may share its context.
pub fn ran(
    this: &Activation,
    node: &Node,
    mut told: Told,
    values: &Values,
    turns: &[Rc<Outcome>],
    script: Script,
) -> Outcome {
    let mut ran = Ran::default();
    let more = match node.kind.as_str() {
        "ask" => {
            told.pauses = node.settings.again + 1;
            match script.last(this) {
                None => return Outcome::Waits(told),
                Some(Answer::End) => {
                    told.end = Some(Final::Finished(BTreeMap::new()));
                    return Outcome::Ran(Ran { told, ..ran });
                }
                Some(Answer::Value(value)) => Value::clone(&value),
            }
        }
        "effect" => meaning::replies(&node.settings, this).into(),
        "turn" | "guest" => {
            let Some(context) = meaning::works_in(&node.settings, values) else {
                return finished(this, node, told, values, ran, &Value::Null);
            };
            let history: Vec<String> = said_in(turns, &context).into_iter().map(|(_, text)| text).collect();
            let said = meaning::said(&node.settings, this, values, &history);
            let message = |index: usize, text: String| (format!("{this}/{index}").into(), text);
            let added = if meaning::adds_two(&node.settings) {
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
    finished(this, node, told, values, ran, &more)
}

/// What a node comes to that fails on every try.
pub fn failed(this: &Activation, mut told: Told, handled: bool, node: &Node) -> Outcome {
    told.end = Some(Final::Failed { code: "test.failed".to_owned(), handled });
    let error = json!({
        "code": "test.failed",
        "message": "It fails on purpose.",
        "node": this.node,
        "details": { "salt": node.settings.salt },
    });
    Outcome::Failed(told, BTreeMap::from([("error".to_owned(), error)]), handled)
}

fn finished(
    this: &Activation,
    node: &Node,
    mut told: Told,
    values: &Values,
    mut ran: Ran,
    more: &Value,
) -> Outcome {
    ran.outputs = meaning::outputs(&node.kind, &node.settings, this, values, more);
    told.end = Some(Final::Finished(by_port(&ran.outputs)));
    ran.told = told;
    Outcome::Ran(ran)
}

fn said_in(turns: &[Rc<Outcome>], context: &ContextId) -> History {
    let said = |turn: &Rc<Outcome>| match &**turn {
        Outcome::Ran(Ran { writes: Some((id, added)), .. }) if id == context => added.clone(),
        _ => History::new(),
    };
    turns.iter().flat_map(said).collect()
}

/// The same by the names of ports.
pub fn by_port(outputs: &BTreeMap<String, Value>) -> BTreeMap<PortName, Value> {
    outputs.iter().map(|(port, value)| (port.as_str().into(), value.clone())).collect()
}
