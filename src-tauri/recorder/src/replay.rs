//! Answers from what was recorded, byte for byte. Each recorded exchange answers once, in the order in which they were recorded.

use std::collections::{BTreeMap, VecDeque};

use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_journal::earlier_run::differing_words;
use serde_json::Value;
use similar::TextDiff;

use crate::codes;
use crate::exchange::Exchange;

/// The most recorded requests that one without an answer is compared with.
const MAX_COMPARED: usize = 200;

/// What identifies a request: server, method, path, and its body with sorted keys.
type Key = (String, String, String, Vec<u8>);

/// Recorded exchanges.
pub struct Library {
    exchanges: Vec<Exchange>,
    /// Which of them have not answered yet.
    waiting: Mutex<BTreeMap<Key, VecDeque<usize>>>,
    misses: Mutex<Vec<Fault>>,
}

impl Library {
    pub fn new(exchanges: Vec<Exchange>) -> Self {
        let mut waiting: BTreeMap<Key, VecDeque<usize>> = BTreeMap::new();
        for (at, exchange) in exchanges.iter().enumerate() {
            // Without a response there is nothing to answer with.
            if exchange.status != 0 {
                let Exchange { upstream, method, path, body, .. } = exchange;
                waiting.entry(key(upstream, method, path, body)).or_default().push_back(at);
            }
        }
        Self { exchanges, waiting: Mutex::new(waiting), misses: Mutex::default() }
    }

    /// The next exchange with this request. `record.not_recorded` names the nearest one and the words that differ.
    pub(crate) fn take(
        &self,
        upstream: &str,
        method: &str,
        path: &str,
        body: &[u8],
    ) -> Result<Exchange, Fault> {
        let key = key(upstream, method, path, body);
        let next = self.waiting.lock().get_mut(&key).and_then(VecDeque::pop_front);
        if let Some(exchange) = next.and_then(|at| self.exchanges.get(at)) {
            return Ok(exchange.clone());
        }
        let fault = self.miss(upstream, method, path, body);
        self.misses.lock().push(fault.clone());
        Err(fault)
    }

    /// What was asked for in vain.
    pub(crate) fn misses(&self) -> Vec<Fault> {
        self.misses.lock().clone()
    }

    fn miss(&self, upstream: &str, method: &str, path: &str, body: &[u8]) -> Fault {
        let asked = format!("{method} {path} of `{upstream}` is not recorded, and a replay asks nobody.");
        let now = readable(body);
        let same_path =
            self.exchanges.iter().enumerate().filter(|(_, one)| one.path == path && one.method == method);
        let mut best: Option<(f32, usize, String)> = None;
        for (at, exchange) in same_path.take(MAX_COMPARED) {
            let text = readable(&exchange.body);
            let ratio = TextDiff::from_words(text.as_str(), now.as_str()).ratio();
            if best.as_ref().is_none_or(|(most, ..)| ratio > *most) {
                best = Some((ratio, at, text));
            }
        }
        let nearest = match best {
            None => "No request to this path is recorded.".to_owned(),
            Some((_, at, text)) => match differing_words(&text, &now) {
                words if words.is_empty() => {
                    format!("Request {} says the same, but has answered already.", at + 1)
                }
                words => format!("The nearest recorded request is request {}{words}", at + 1),
            },
        };
        Fault::new(codes::RECORD_NOT_RECORDED, format!("{asked} {nearest}"))
    }
}

fn key(upstream: &str, method: &str, path: &str, body: &[u8]) -> Key {
    let body = match serde_json::from_slice::<Value>(body) {
        Ok(value) => sorted(value).to_string().into_bytes(),
        Err(_) => body.to_vec(),
    };
    (upstream.to_owned(), method.to_owned(), path.to_owned(), body)
}

/// The same with the fields of objects in alphabetical order: clients write them in any order.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<String, Value> =
                fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            fields.into_iter().collect()
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

/// A body as a person reads it: one text or number in each line.
fn readable(body: &[u8]) -> String {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => {
            let mut lines = Vec::new();
            collect(&sorted(value), "", &mut lines);
            lines.join("\n")
        }
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    }
}

fn collect(value: &Value, name: &str, lines: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, field)| collect(field, name, lines)),
        Value::Array(items) => items.iter().for_each(|item| collect(item, name, lines)),
        Value::String(text) => lines.push(format!("{name} {text}")),
        other => lines.push(format!("{name} {other}")),
    }
}
