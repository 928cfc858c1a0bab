//! From a flow to text: keys sorted at every level, so that git shows what changed and nothing else.

use serde_json::{Map, Value};

use super::Flow;

/// The text of a flow's file: two-space indents, keys sorted, a newline at the end.
pub fn write(flow: &Flow) -> Result<String, serde_json::Error> {
    let mut value = serde_json::to_value(flow)?;
    if let Some(layout) = value.get_mut("layout") {
        whole(layout);
    }
    let mut text = serde_json::to_string_pretty(&sorted(value))?;
    text.push('\n');
    Ok(text)
}

/// Writes `260.0` as `260`, as other JSON writers do: a save must not change lines in which nothing moved.
fn whole(value: &mut Value) {
    match value {
        Value::Object(map) => map.values_mut().for_each(whole),
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

/// The same value with the keys of every object in order, whatever map `serde_json` was built with.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.into_iter().collect();
            pairs.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(pairs.into_iter().map(|(key, value)| (key, sorted(value))).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests;
