//! What the test nodes compute, as pure functions of everything they see.

use std::collections::BTreeMap;

use plait_engine::Value;
use plait_engine::id::{Activation, ContextId};
use plait_engine::journal::Answer;
use serde::Serialize;
use serde_json::json;

use super::Settings;

/// The live values by port.
pub type Values = BTreeMap<String, Vec<Value>>;

/// A number that any change of `of` changes.
pub fn digest(of: &impl Serialize) -> u64 {
    let text = serde_json::to_string(of).unwrap();
    let mut hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}

/// The same as a short word.
pub fn word(of: &impl Serialize) -> String {
    format!("{:08x}", digest(of) & 0xffff_ffff)
}

/// How many of an activation's tries fail, however many it gets.
pub fn failing_tries(settings: &Settings, at: &Activation) -> u32 {
    if settings.fails == 0 {
        return 0;
    }
    let failing = digest(&("fails", settings.salt, at)) % u64::from(settings.fails + 1);
    u32::try_from(failing).unwrap()
}

/// What a call to the outside gives.
pub fn outside(at: &Activation, step: u32) -> Value {
    word(&("outside", at, step)).into()
}

/// Everything the outside gives to one activation.
pub fn replies(settings: &Settings, at: &Activation) -> Vec<Value> {
    (0..settings.steps).map(|step| outside(at, step)).collect()
}

/// What a turn says, having seen `history`.
pub fn said(settings: &Settings, at: &Activation, inputs: &Values, history: &[String]) -> String {
    word(&("said", settings.salt, at, inputs, history))
}

/// The context a turn works in. A guest goes by what it is told, whatever its context edge brings, and works in none where
/// it is told of something else.
pub fn works_in(settings: &Settings, inputs: &Values) -> Option<ContextId> {
    if !settings.names.is_empty() {
        return Some(settings.names.as_str().into());
    }
    let told = inputs.get("who").or_else(|| inputs.get("context"))?.last()?;
    told["contextId"].as_str().map(ContextId::from)
}

/// Whether a turn adds a question and an answer, or else a single message.
pub fn adds_two(settings: &Settings) -> bool {
    !settings.salt.is_multiple_of(3)
}

/// The live outputs. `more` is whatever beside its inputs goes into them: replies, an answer, what was said.
pub fn outputs(
    kind: &str,
    settings: &Settings,
    at: &Activation,
    inputs: &Values,
    more: &Value,
) -> BTreeMap<String, Value> {
    let all = (kind, settings.salt, at, inputs, more);
    let one = |port: &str| BTreeMap::from([(port.to_owned(), word(&(&all, port)).into())]);
    match kind {
        "route" => {
            let taken: &[&str] = match digest(&all) % 8 {
                0..=2 => &["x"],
                3 | 4 => &["y"],
                5 => &["z"],
                6 => &["x", "y"],
                _ => &[],
            };
            taken.iter().flat_map(|port| one(port)).collect()
        }
        "guest" => {
            let context =
                works_in(settings, inputs).map(|id| ("context".to_owned(), json!({ "contextId": id })));
            context.into_iter().chain([("out".to_owned(), more.clone())]).collect()
        }
        "pass" => BTreeMap::from([("out".to_owned(), inputs["a"].last().unwrap().clone())]),
        "turn" => BTreeMap::from([
            ("out".to_owned(), more.clone()),
            ("context".to_owned(), inputs["context"].last().unwrap().clone()),
        ]),
        "relay" => {
            let mut outputs = one("out");
            let context = inputs.get("context").and_then(|values| values.last());
            outputs.extend(context.map(|handle| ("context".to_owned(), handle.clone())));
            outputs
        }
        "context" => {
            let mut outputs = one("out");
            for port in ["context", "handle"] {
                outputs.insert(port.to_owned(), json!({ "contextId": at.to_string() }));
            }
            outputs
        }
        _ => one("out"),
    }
}

/// What a person answers: as a function of the pause alone, so that it does not matter when they answer.
#[derive(Clone, Copy, Debug)]
pub struct Script {
    /// Makes the answers its own.
    pub seed: u64,
    /// Whether some pauses are never answered.
    pub leaves_some: bool,
}

/// The answer that makes an `ask` node ask again.
pub fn again() -> Value {
    json!({ "again": true })
}

impl Script {
    /// The answer to the pause of `at` that follows `before` others; none if nobody ever answers.
    pub fn answer(self, settings: &Settings, at: &Activation, before: u32) -> Option<Answer> {
        if before < settings.again {
            return Some(Answer::Value(again().into()));
        }
        self.last(at)
    }

    /// The answer that counts.
    pub fn last(self, at: &Activation) -> Option<Answer> {
        let chance = digest(&("answer", self.seed, at)) % 16;
        if self.leaves_some && chance < 3 {
            return None;
        }
        // The third time round at the latest: pauses bound cycles, but only if somebody ends them.
        if chance < 6 || at.epoch.0.iter().any(|&counter| counter >= 2) {
            return Some(Answer::End);
        }
        Some(Answer::Value(Value::from(word(&("answer", self.seed, at))).into()))
    }
}
