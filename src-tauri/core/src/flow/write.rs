//! Writes a flow as text. Keys are sorted at every level, so that a diff shows only what has changed.

use std::collections::BTreeMap;

use serde::ser::{Error as _, Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use super::Flow;

/// Writes a flow: indented by two spaces, keys sorted, a newline at the end.
pub fn write(flow: &Flow) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(&Document::of(flow)?)?;
    text.push('\n');
    Ok(text)
}

/// A flow that is written item by item: its JSON as a whole would take several times the memory of the flow.
struct Document<'f> {
    flow: &'f Flow,
    /// All but its nodes, edges and layout, which are empty here.
    rest: Map<String, Value>,
}

impl<'f> Document<'f> {
    fn of(flow: &'f Flow) -> Result<Self, serde_json::Error> {
        let Flow {
            version,
            name,
            description,
            nodes: _,
            edges: _,
            layout: _,
            frames,
            routes,
            settings,
            extra,
        } = flow;
        let rest = Flow {
            version: *version,
            name: name.clone(),
            description: description.clone(),
            nodes: BTreeMap::new(),
            edges: BTreeMap::new(),
            layout: BTreeMap::new(),
            frames: frames.clone(),
            routes: routes.clone(),
            settings: settings.clone(),
            extra: extra.clone(),
        };
        let Value::Object(mut rest) = serde_json::to_value(rest)? else {
            return Err(serde_json::Error::custom("a flow is an object"));
        };
        for section in ["frames", "routes"] {
            rest.get_mut(section).into_iter().for_each(write_whole_numbers);
        }
        Ok(Self { flow, rest })
    }
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in sorted_entries(&self.rest) {
            match key.as_str() {
                "nodes" => map.serialize_entry(key, &Items(&self.flow.nodes, |_| ()))?,
                "edges" => map.serialize_entry(key, &Items(&self.flow.edges, |_| ()))?,
                "layout" => map.serialize_entry(key, &Items(&self.flow.layout, write_whole_numbers))?,
                _ => map.serialize_entry(key, &SortedKeys(value))?,
            }
        }
        map.end()
    }
}

/// Nodes, edges or positions by their ids, with a change to the JSON of each.
struct Items<'f, K, V>(&'f BTreeMap<K, V>, fn(&mut Value));

impl<K: Serialize, V: Serialize> Serialize for Items<'_, K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(items, change) = self;
        let mut map = serializer.serialize_map(Some(items.len()))?;
        for (id, item) in *items {
            let mut value = serde_json::to_value(item).map_err(S::Error::custom)?;
            change(&mut value);
            map.serialize_entry(id, &SortedKeys(&value))?;
        }
        map.end()
    }
}

/// Turns `260.0` into `260`, as other JSON writers do: saving must not change lines of nodes that have not moved.
pub fn write_whole_numbers(value: &mut Value) {
    match value {
        Value::Object(map) => map.values_mut().for_each(write_whole_numbers),
        Value::Array(items) => items.iter_mut().for_each(write_whole_numbers),
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

/// A value with the keys of every object sorted, with any map type of `serde_json`.
struct SortedKeys<'v>(&'v Value);

impl Serialize for SortedKeys<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(map) => {
                serializer.collect_map(sorted_entries(map).map(|(key, value)| (key, SortedKeys(value))))
            }
            Value::Array(items) => serializer.collect_seq(items.iter().map(SortedKeys)),
            other => other.serialize(serializer),
        }
    }
}

fn sorted_entries(map: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    entries.into_iter()
}

#[cfg(test)]
mod tests;
