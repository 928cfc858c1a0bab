//! Writes a flow as text. Keys are sorted at every level, so that a diff shows only what has changed.

use std::collections::BTreeMap;

use serde::ser::{Error as _, Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use super::{Edge, Flow, Limits, Node, Position};

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
                "nodes" => map.serialize_entry(key, &Items(&self.flow.nodes))?,
                "edges" => map.serialize_entry(key, &Items(&self.flow.edges))?,
                "layout" => map.serialize_entry(key, &Items(&self.flow.layout))?,
                _ => map.serialize_entry(key, &SortedKeys(value))?,
            }
        }
        map.end()
    }
}

/// Nodes, edges or positions by their ids.
struct Items<'f, K, V>(&'f BTreeMap<K, V>);

impl<K: Serialize, V: Item> Serialize for Items<'_, K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(id, item)| (id, Sorted(item))))
    }
}

/// An item with the keys of every object sorted.
struct Sorted<'i, I>(&'i I);

impl<I: Item> Serialize for Sorted<'_, I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize_sorted(serializer)
    }
}

/// A part of a flow, of which there may be many.
trait Item: Serialize {
    /// Serializes it with sorted keys.
    fn serialize_sorted<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// The same for any item, by its JSON.
    fn serialize_by_value<S: Serializer>(
        &self,
        serializer: S,
        change: impl FnOnce(&mut Value),
    ) -> Result<S::Ok, S::Error> {
        let mut value = serde_json::to_value(self).map_err(S::Error::custom)?;
        change(&mut value);
        SortedKeys(&value).serialize(serializer)
    }
}

impl Item for Node {
    fn serialize_sorted<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self {
            node_type,
            title,
            parent,
            config,
            limits,
            retry,
            disabled,
            pin,
            trigger,
            unconfirmed,
            extra,
        } = self;
        let is_common = extra.is_empty()
            && unconfirmed.is_empty()
            && (retry, pin, trigger) == (&None, &None, &None)
            && *limits == Limits::default();
        if !is_common {
            return self.serialize_by_value(serializer, |_| ());
        }
        let mut map = serializer.serialize_map(None)?;
        if !config.is_empty() {
            map.serialize_entry("config", &SortedMap(config))?;
        }
        if *disabled {
            map.serialize_entry("disabled", disabled)?;
        }
        if let Some(parent) = parent {
            map.serialize_entry("parent", parent)?;
        }
        if let Some(title) = title {
            map.serialize_entry("title", title)?;
        }
        map.serialize_entry("type", node_type)?;
        map.end()
    }
}

impl Item for Edge {
    fn serialize_sorted<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { source, source_output, target, target_input, order, metadata, extra } = self;
        if !metadata.is_empty() || !extra.is_empty() {
            return self.serialize_by_value(serializer, |_| ());
        }
        let mut map = serializer.serialize_map(None)?;
        if let Some(order) = order {
            map.serialize_entry("order", order)?;
        }
        map.serialize_entry("source", source)?;
        map.serialize_entry("sourceOutput", source_output)?;
        map.serialize_entry("target", target)?;
        map.serialize_entry("targetInput", target_input)?;
        map.end()
    }
}

impl Item for Position {
    fn serialize_sorted<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_by_value(serializer, write_whole_numbers)
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
            Value::Object(map) => SortedMap(map).serialize(serializer),
            Value::Array(items) => serializer.collect_seq(items.iter().map(SortedKeys)),
            other => other.serialize(serializer),
        }
    }
}

/// The same for an object.
struct SortedMap<'v>(&'v Map<String, Value>);

impl Serialize for SortedMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(sorted_entries(self.0).map(|(key, value)| (key, SortedKeys(value))))
    }
}

fn sorted_entries(map: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    entries.into_iter()
}

#[cfg(test)]
mod tests;
