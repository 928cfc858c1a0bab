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
mod tests {
    use super::*;
    use crate::flow::read;

    #[test]
    fn positions_are_written_as_they_came() {
        let text = r#"{"version": 1, "layout": {"n": {"x": 260, "y": -0.5}}}"#;
        let written = write(&read(text).unwrap()).unwrap();
        assert!(written.contains("\"x\": 260,") && written.contains("\"y\": -0.5"), "{written}");
    }

    #[test]
    fn keys_are_sorted_and_unknown_ones_kept() {
        let text =
            r#"{"zeta": {"b": 1, "a": 2}, "version": 1, "nodes": {"n": {"type": "text", "mood": "calm"}}}"#;
        let flow = read(text).unwrap();
        let written = write(&flow).unwrap();
        assert!(written.find("\"a\": 2").unwrap() < written.find("\"b\": 1").unwrap());
        assert_eq!(read(&written).unwrap(), flow);
        assert!(written.contains("\"mood\": \"calm\""));
    }

    #[test]
    fn unknown_keys_are_kept_at_every_place() {
        let text = r#"{
            "edges": {"e": {"hue": 1, "source": "n", "sourceOutput": "x", "target": "n", "targetInput": "y"}},
            "layout": {"n": {"hue": 2, "x": 1.5, "y": 2}},
            "name": "",
            "nodes": {"n": {
                "limits": {"hue": 3, "timeoutMs": 5},
                "retry": {"attempts": 2, "backoffMs": 1, "hue": {"calm": [4]}, "jitter": 0.5, "maxBackoffMs": 9},
                "type": "text"
            }, "only": {"limits": {"hue": 6}, "type": "text"}},
            "settings": {"hue": 5},
            "version": 1
        }"#;
        let written = write(&read(text).unwrap()).unwrap();
        let (before, after): (Value, Value) =
            (serde_json::from_str(text).unwrap(), serde_json::from_str(&written).unwrap());
        assert_eq!(before, after);
    }
}
