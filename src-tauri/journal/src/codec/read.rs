//! Reading entries and events: `type` selects the group, which reads the remaining fields.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, MapDeserializer, StrDeserializer};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::{Entry, Event};
use plait_core::id::{Activation, Epoch, NodeId};

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Line { seq, at, event, interrupted_ms } = deserializer.deserialize_map(LineVisitor)?;
        let at = at.ok_or_else(|| D::Error::missing_field("at"))?;
        Ok(Self { seq, at, event, interrupted_ms })
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(deserializer.deserialize_map(LineVisitor)?.event)
    }
}

/// What a JSON object holds: an event and, on the lines of a journal, its position and time.
struct Line {
    seq: Option<u64>,
    at: Option<u64>,
    event: Event,
    interrupted_ms: u64,
}

struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = Line;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event as a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Line, A::Error> {
        let mut head = Head::default();
        while let Some(Key(key)) = map.next_key()? {
            match &*key {
                "seq" => head.seq = map.next_value()?,
                "at" => head.at = map.next_value()?,
                "interruptedMs" => head.interrupted_ms = map.next_value()?,
                "type" => {
                    let Key(name) = map.next_value()?;
                    return read_event(&name, head, map);
                }
                _ => return read_ahead(key, head, map),
            }
        }
        Err(A::Error::missing_field("type"))
    }
}

/// The keys that do not belong to the event's variant.
#[derive(Default)]
struct Head {
    seq: Option<u64>,
    at: Option<u64>,
    interrupted_ms: u64,
    node: Option<NodeId>,
    epoch: Option<Epoch>,
}

/// Another key comes before `type`: reads the whole object before deciding what it is.
fn read_ahead<'de, A: MapAccess<'de>>(
    first: Cow<'de, str>,
    head: Head,
    mut map: A,
) -> Result<Line, A::Error> {
    let mut fields = serde_json::Map::new();
    fields.insert(first.into_owned(), map.next_value()?);
    while let Some((key, value)) = map.next_entry()? {
        fields.insert(key, value);
    }
    let Some(name) = fields.remove("type") else { return Err(A::Error::missing_field("type")) };
    let Value::String(name) = name else {
        return Err(A::Error::custom("the `type` of an event must be a string"));
    };
    read_event(&name, head, MapDeserializer::<_, serde_json::Error>::new(fields.into_iter()))
        .map_err(A::Error::custom)
}

/// Whether `node` and `epoch` say to which activation an event belongs. `run.failed` names the one that failed in fields of its own.
pub(crate) fn names_activation(event: &str) -> bool {
    event == "run.paused"
        || !["run.", "debug.", "value.", "trial."].iter().any(|group| event.starts_with(group))
}

/// Reads the event called `name` from the rest of its object.
fn read_event<'de, A: MapAccess<'de>>(name: &str, head: Head, map: A) -> Result<Line, A::Error> {
    let mut rest = Rest { name: Some(name), names_activation: names_activation(name), head, map };
    let group = name.split_once('.').map_or(name, |(group, _)| group);
    let event = match (name, group) {
        ("run.paused" | "input.provided", _) | (_, "node") => {
            let event = rest.read()?;
            Event::Node(rest.activation()?, event)
        }
        (_, "run") => Event::Run(rest.read()?),
        (_, "debug" | "value" | "trial") => Event::Debug(rest.read()?),
        (_, "loop" | "iteration" | "history") => {
            let event = rest.read()?;
            Event::Loop(rest.activation()?, event)
        }
        (_, "context" | "turn") => {
            let event = rest.read()?;
            Event::Context(rest.activation()?, event)
        }
        // The user's memory, not the workflow's.
        ("memory.recalled" | "memory.remembered", _)
        | (_, "prompt" | "quota" | "model" | "knowledge" | "tool") => {
            let event = rest.read()?;
            Event::Call(rest.activation()?, event)
        }
        (_, "memory") => {
            let event = rest.read()?;
            Event::Memory(rest.activation()?, event)
        }
        (_, "child") => {
            let event = rest.read()?;
            Event::Child(rest.activation()?, event)
        }
        _ => return Err(A::Error::custom(format_args!("unknown event type `{name}`"))),
    };
    Ok(Line { seq: rest.head.seq, at: rest.head.at, event, interrupted_ms: rest.head.interrupted_ms })
}

/// The `type` and the fields of an event; keys of the head are kept apart.
struct Rest<'n, A> {
    /// The `type`, until it was read.
    name: Option<&'n str>,
    /// Whether `node` and `epoch` belong to the head.
    names_activation: bool,
    head: Head,
    map: A,
}

impl<'de, A: MapAccess<'de>> Rest<'_, A> {
    fn read<T: Deserialize<'de>>(&mut self) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(self))
    }

    fn activation(&mut self) -> Result<Activation, A::Error> {
        let node = self.head.node.take().ok_or_else(|| A::Error::missing_field("node"))?;
        let epoch = self.head.epoch.take().ok_or_else(|| A::Error::missing_field("epoch"))?;
        Ok(Activation { node, epoch })
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for &mut Rest<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        if self.name.is_some() {
            return seed.deserialize(BorrowedStrDeserializer::new("type")).map(Some);
        }
        while let Some(Key(key)) = self.map.next_key()? {
            match &*key {
                "seq" => self.head.seq = self.map.next_value()?,
                "at" => self.head.at = self.map.next_value()?,
                "interruptedMs" => self.head.interrupted_ms = self.map.next_value()?,
                "node" if self.names_activation => self.head.node = self.map.next_value()?,
                "epoch" if self.names_activation => self.head.epoch = self.map.next_value()?,
                _ => {
                    let field = match key {
                        Cow::Borrowed(key) => seed.deserialize(BorrowedStrDeserializer::new(key)),
                        Cow::Owned(key) => seed.deserialize(key.into_deserializer()),
                    };
                    return field.map(Some);
                }
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        match self.name.take() {
            Some(name) => seed.deserialize(StrDeserializer::new(name)),
            None => self.map.next_value_seed(seed),
        }
    }
}

/// A string that borrows from the input where it can.
struct Key<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Key<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Owned(text)))
    }
}
