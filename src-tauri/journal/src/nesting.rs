//! The maximum nesting of a value in a journal.
//!
//! Readers of journals bound the nesting of JSON to protect the stack. A value that is nested deeper could never be
//! read back, and its run never be opened again, so it is refused.

use serde_json::Value;

pub use plait_core::exact_json::MAX_NESTING_DEPTH;

/// Whether the value is nested deeper than that.
pub fn is_too_deep(value: &Value) -> bool {
    // Layer by layer and without recursion. What holds nothing costs nothing.
    let mut layer: Vec<&Value> = Some(value).filter(|value| holds_values(value)).into_iter().collect();
    for _ in 0..MAX_NESTING_DEPTH {
        if layer.is_empty() {
            return false;
        }
        let mut inside = Vec::new();
        for value in layer {
            match value {
                Value::Array(items) => inside.extend(items.iter().filter(|value| holds_values(value))),
                Value::Object(entries) => inside.extend(entries.values().filter(|value| holds_values(value))),
                _ => {}
            }
        }
        layer = inside;
    }
    !layer.is_empty()
}

fn holds_values(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

#[cfg(test)]
mod tests;
