//! `OpenRouter`'s blocks of reasoning. In a stream each arrives in parts; whole, they go back with the results of tools.
//!
//! Source: <https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks>.

use serde_json::{Map, Value, json};

use super::request::{REASONING_DETAILS, STATE_KEY};

/// Fields whose text continues from part to part.
const CONTINUED: [&str; 4] = ["text", "summary", "data", "signature"];

/// The blocks that have arrived.
#[derive(Default)]
pub(super) struct ReasoningDetails(Vec<Map<String, Value>>);

impl ReasoningDetails {
    /// Adds a block, or the next part of the last one: a part has the type and the index of its block.
    pub(super) fn add(&mut self, part: Map<String, Value>) {
        let same = |block: &&mut Map<String, Value>| {
            part.contains_key("index")
                && ["type", "index"].iter().all(|key| block.get(*key) == part.get(*key))
        };
        let Some(block) = self.0.last_mut().filter(same) else {
            self.0.push(part);
            return;
        };
        for (key, value) in part {
            match (block.get_mut(&key), value) {
                (Some(Value::String(text)), Value::String(more)) if CONTINUED.contains(&key.as_str()) => {
                    text.push_str(&more);
                }
                (_, Value::Null) => {}
                (_, value) => drop(block.insert(key, value)),
            }
        }
    }

    /// The reasoning that a message keeps for the server, if there is any.
    pub(super) fn into_state(self) -> Option<Value> {
        (!self.0.is_empty()).then(|| json!({ STATE_KEY: { REASONING_DETAILS: self.0 } }))
    }
}
