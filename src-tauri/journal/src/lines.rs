//! A journal as it is stored: lines, each of which is decoded when its entry is wanted. Owns reading from a line which event it has
//! and of which activation, at a fraction of what decoding takes.

use std::borrow::Cow;

use plait_core::id::Epoch;

use crate::Entry;
use crate::codec::names_activation;

/// The lines of a journal that can be read, in order.
pub trait JournalLines: Send + Sync {
    fn count(&self) -> usize;

    /// A line as it is stored: large values are references, messages of conversations are left out. Empty past the last.
    fn line(&self, index: usize) -> &[u8];

    /// The entry of a line. `None` if it can't be read.
    fn entry(&self, index: usize) -> Option<Entry>;
}

/// What the beginning of a line says of its entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineHead<'l> {
    /// The position in the journal.
    pub seq: u64,
    /// When the event happened, in milliseconds since the Unix epoch.
    pub time: u64,
    /// The `type` of the event.
    pub event: &'l str,
    /// The activation, or the entry of a cycle, that the event belongs to. `None` for events of the run.
    pub at: Option<(Cow<'l, str>, Epoch)>,
    /// The text that follows.
    pub rest: &'l str,
}

impl<'l> LineHead<'l> {
    /// Reads the beginning of a line as journals are written. `None` for any other JSON, which may be an entry nevertheless.
    pub fn read(line: &'l [u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        let (seq, line) = read_number(line.strip_prefix(r#"{"seq":"#)?)?;
        let (time, line) = read_number(line.strip_prefix(r#","at":"#)?)?;
        let (event, line) = line.strip_prefix(r#","type":""#)?.split_once('"')?;
        if !names_activation(event) {
            return Some(Self { seq, time, event, at: None, rest: line });
        }
        let (node, line) = read_string(line.strip_prefix(r#","node":"#)?)?;
        let (counters, rest) = line.strip_prefix(r#","epoch":["#)?.split_once(']')?;
        let mut epoch = Epoch::root();
        for counter in counters.split(',').filter(|_| !counters.is_empty()) {
            epoch.0.push(counter.parse().ok()?);
        }
        Some(Self { seq, time, event, at: Some((node, epoch)), rest })
    }
}

/// The number that a text begins with, and what follows it.
fn read_number(text: &str) -> Option<(u64, &str)> {
    let rest = text.trim_start_matches(|char: char| char.is_ascii_digit());
    let number = text.get(..text.len() - rest.len())?.parse().ok()?;
    Some((number, rest))
}

/// The JSON string that a text begins with, and what follows it.
fn read_string(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let (inner, rest) = text.strip_prefix('"')?.split_once('"')?;
    if !inner.contains('\\') {
        return Some((Cow::Borrowed(inner), rest));
    }
    let mut strings = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let string = strings.next()?.ok()?;
    Some((Cow::Owned(string), text.get(strings.byte_offset()..)?))
}

#[cfg(test)]
mod tests {
    use plait_core::id::Activation;
    use serde_json::json;

    use super::*;
    use crate::{ActivationEvent, Event, LoopEvent, NodeEvent, RunEvent};

    #[test]
    fn head_is_that_of_the_entry() {
        for node in ["chat", "", "a \"b\"", "back\\slash", "é😀", "line\n\u{1}"] {
            for path in [&[][..], &[0], &[12, u32::MAX, 3]] {
                let at = Activation { node: node.into(), epoch: Epoch::from(path) };
                let events = [
                    (NodeEvent::Started { attempt: 1 }.of(at.clone()), "node.started"),
                    (Event::Loop(at.clone(), LoopEvent::Iteration), "loop.iteration"),
                ];
                for (event, name) in events {
                    let line =
                        serde_json::to_vec(&Entry { seq: Some(u64::MAX), at: 7, event, interrupted_ms: 0 })
                            .unwrap();
                    let head = LineHead::read(&line).unwrap();
                    let rest = if name == "node.started" { r#","attempt":1}"# } else { "}" };
                    let at = Some((node.into(), at.epoch.clone()));
                    assert_eq!(head, LineHead { seq: u64::MAX, time: 7, event: name, at, rest });
                }
            }
        }
    }

    #[test]
    fn events_of_the_run_belong_to_no_activation() {
        let entry = Entry { seq: Some(3), at: 7, event: Event::Run(RunEvent::Canceling), interrupted_ms: 0 };
        let line = serde_json::to_vec(&entry).unwrap();
        let head = LineHead { seq: 3, time: 7, event: "run.cancelling", at: None, rest: "}" };
        assert_eq!(LineHead::read(&line), Some(head));
    }

    #[test]
    fn other_json_has_no_head() {
        for line in [
            json!({ "type": "node.started", "node": "a", "epoch": [], "seq": 1, "at": 2, "attempt": 1 })
                .to_string(),
            r#"{"seq":1,"at":2,"type":"node.started","node":@12,"epoch":[]}"#.to_owned(),
            r#"{"seq":1,"at":2,"type":"node.started","node":"a","epoch":[-1]}"#.to_owned(),
            r#"{"seq":,"at":2,"type":"run.cancelling"}"#.to_owned(),
            String::new(),
        ] {
            assert_eq!(LineHead::read(line.as_bytes()), None, "{line}");
        }
    }
}
