//! What the test nodes compute, as pure functions of everything they see.

use std::collections::BTreeMap;

use plait_core::Value;
use plait_core::id::{Activation, ContextId};
use plait_journal::Answer;
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

/// How many attempts of an activation fail.
pub fn failing_attempts(settings: &Settings, at: &Activation) -> u32 {
    if settings.fails == 0 {
        return 0;
    }
    let failing = digest(&("fails", settings.salt, at)) % u64::from(settings.fails + 1);
    u32::try_from(failing).unwrap()
}

/// Whether a node that can end the loop around it does.
pub fn finishes(settings: &Settings, at: &Activation) -> bool {
    digest(&("finishes", settings.salt, at)).is_multiple_of(3)
}

pub fn external_reply(at: &Activation, step: u32) -> Value {
    word(&("outside", at, step)).into()
}

/// The replies to all external calls of an activation.
pub fn replies(settings: &Settings, at: &Activation) -> Vec<Value> {
    (0..settings.steps).map(|step| external_reply(at, step)).collect()
}

/// What a turn says, having seen `history`.
pub fn said(settings: &Settings, at: &Activation, inputs: &Values, history: &[String]) -> String {
    word(&("said", settings.salt, at, inputs, history))
}

/// The context a turn works in. For a guest, the context that it names or that its input names; none if the input's value
/// names no context.
pub fn works_in(settings: &Settings, inputs: &Values) -> Option<ContextId> {
    if !settings.names.is_empty() {
        return Some(settings.names.as_str().into());
    }
    let record = inputs.get("who").or_else(|| inputs.get("context"))?.last()?;
    record["contextId"].as_str().map(ContextId::from)
}

/// Whether a turn adds a question and an answer, or a single message.
pub fn adds_two(settings: &Settings) -> bool {
    !settings.salt.is_multiple_of(3)
}

/// The live outputs. `name` is that of the context it makes, if it does; `more` is what goes into them in addition to the inputs: replies, an answer, the text of a turn.
pub fn outputs(
    kind: &str,
    settings: &Settings,
    at: &Activation,
    name: &str,
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
        "list" => {
            let item = |place: u64| json!(word(&(&all, "item", place)));
            let items: Vec<Value> = (0..digest(&all) % 5).map(item).collect();
            BTreeMap::from([("out".to_owned(), items.into())])
        }
        "sign" => {
            let signs = [json!(null), json!(false), json!(0), json!(""), json!([]), json!({}), json!(0.0)];
            let sign = match digest(&all) % 12 {
                place @ 0..=6 => signs[usize::try_from(place).unwrap()].clone(),
                7 => json!(true),
                8 => json!(3),
                9 => json!([null]),
                10 => json!({ "a": 0 }),
                _ => json!("yes"),
            };
            BTreeMap::from([("out".to_owned(), sign)])
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
                outputs.insert(port.to_owned(), json!({ "contextId": name }));
            }
            outputs
        }
        _ => one("out"),
    }
}

/// The answers to pauses, as a function of the pause alone, so that they don't depend on timing.
#[derive(Clone, Copy, Debug)]
pub struct Script {
    /// Makes the answers differ between scripts.
    pub seed: u64,
    /// Whether some pauses are never answered.
    pub leaves_some: bool,
}

/// The answer that makes an `ask` node ask again.
pub fn again() -> Value {
    json!({ "again": true })
}

impl Script {
    /// The answer to the pause of `at` after `before` others; none if it is never answered.
    pub fn answer(self, settings: &Settings, at: &Activation, before: u32) -> Option<Answer> {
        if before < settings.again {
            return Some(Answer::Value(again().into()));
        }
        self.last(at)
    }

    /// The answer that counts.
    pub fn last(self, at: &Activation) -> Option<Answer> {
        let rng = digest(&("answer", self.seed, at)) % 16;
        if self.leaves_some && rng < 3 {
            return None;
        }
        // In the third iteration at the latest: a pause bounds a cycle only if someone ends it.
        if rng < 6 || at.epoch.0.iter().any(|&counter| counter >= 2) {
            return Some(Answer::End);
        }
        Some(Answer::Value(Value::from(word(&("answer", self.seed, at))).into()))
    }
}
