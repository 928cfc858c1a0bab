//! Writes a flow as text. Keys are sorted at every level, so that a diff shows only what has changed.

use serde_json::{Map, Value};

use super::Flow;

/// Writes a flow: indented by two spaces, keys sorted, a newline at the end.
pub fn write(flow: &Flow) -> Result<String, serde_json::Error> {
    let mut value = serde_json::to_value(flow)?;
    if let Some(layout) = value.get_mut("layout") {
        write_whole_numbers(layout);
    }
    let mut text = serde_json::to_string_pretty(&sort_keys(value))?;
    text.push('\n');
    Ok(text)
}

/// Turns `260.0` into `260`, as other JSON writers do: saving must not change lines of nodes that have not moved.
fn write_whole_numbers(value: &mut Value) {
    match value {
        Value::Object(map) => map.values_mut().for_each(write_whole_numbers),
        Value::Number(number) => {
            if let Some(float) = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e15) {
                #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
                let int = float as i64;
                *number = int.into();
            }
        }
        _ => {}
    }
}

/// The value with the keys of every object sorted, whichever map `serde_json` was built with.
fn sort_keys(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.into_iter().collect();
            pairs.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(
                pairs.into_iter().map(|(key, value)| (key, sort_keys(value))).collect::<Map<_, _>>(),
            )
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sort_keys).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests;
