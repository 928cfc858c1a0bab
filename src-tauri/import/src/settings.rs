//! The settings of a node of another tool. Remembers which of them were read: what was not read, was not translated.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde_json::Value;

/// How deep settings that were not read are named one by one.
const MAX_NAMED_DEPTH: usize = 2;
/// More settings are not named in a report.
const MAX_NAMED_SETTINGS: usize = 20;

/// A JSON object that records which fields were read.
pub(super) struct Settings<'v> {
    value: &'v Value,
    read: RefCell<BTreeSet<String>>,
    /// What is an expression where a number or a switch was expected. Its value is not known.
    computed: RefCell<BTreeSet<String>>,
}

impl<'v> Settings<'v> {
    pub(super) fn new(value: &'v Value) -> Self {
        Self { value, read: RefCell::default(), computed: RefCell::default() }
    }

    /// The value at a JSON pointer. Null counts as missing.
    pub(super) fn get(&self, pointer: &str) -> Option<&'v Value> {
        self.ignore(pointer);
        self.value.pointer(pointer).filter(|value| !value.is_null())
    }

    /// The text at a JSON pointer, if it is not empty.
    pub(super) fn text(&self, pointer: &str) -> Option<&'v str> {
        self.get(pointer).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }

    /// The number at a JSON pointer, also if it is written as a text.
    pub(super) fn number(&self, pointer: &str) -> Option<f64> {
        match self.get(pointer)? {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => {
                let number = text.trim().parse().ok();
                if number.is_none() && !text.trim().is_empty() {
                    self.computed.borrow_mut().insert(pointer.to_owned());
                }
                number
            }
            _ => None,
        }
    }

    /// The number at a JSON pointer as a whole number, moved into a range.
    pub(super) fn count(&self, pointer: &str, range: RangeInclusive<u32>) -> Option<u32> {
        self.number(pointer).map(|number| whole_number(number, range))
    }

    /// The number at a JSON pointer as a whole number, if it is in a range.
    pub(super) fn count_in(&self, pointer: &str, range: RangeInclusive<u32>) -> Option<u32> {
        let is_in = |number: &f64| (f64::from(*range.start())..=f64::from(*range.end())).contains(number);
        self.number(pointer).filter(is_in).map(|number| whole_number(number, range))
    }

    /// Whether the value at a JSON pointer is true.
    pub(super) fn flag(&self, pointer: &str) -> bool {
        match self.get(pointer) {
            Some(Value::Bool(flag)) => *flag,
            Some(Value::String(text)) => {
                if text.contains("{{") {
                    self.computed.borrow_mut().insert(pointer.to_owned());
                }
                text.eq_ignore_ascii_case("true")
            }
            _ => false,
        }
    }

    /// The items at a JSON pointer.
    pub(super) fn items(&self, pointer: &str) -> &'v [Value] {
        self.get(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Counts a value as read: it has no effect, or Plait does the same without it.
    pub(super) fn ignore(&self, pointer: &str) {
        self.read.borrow_mut().insert(pointer.to_owned());
    }

    /// Counts several values as read.
    pub(super) fn ignore_all(&self, pointers: &[&str]) {
        for pointer in pointers {
            self.ignore(pointer);
        }
    }

    /// The settings that were not read and say something, as a sentence.
    pub(super) fn unread(&self) -> Option<String> {
        let mut names: Vec<String> = self.computed.borrow().iter().map(|pointer| name_of(pointer)).collect();
        self.collect_unread(self.value, "", 0, &mut names);
        if names.is_empty() {
            return None;
        }
        let more = names.len().saturating_sub(MAX_NAMED_SETTINGS);
        names.truncate(MAX_NAMED_SETTINGS);
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Some(format!("Settings without an equivalent: {}{more}.", names.join(", ")))
    }

    fn collect_unread(&self, value: &Value, pointer: &str, depth: usize, names: &mut Vec<String>) {
        let read = self.read.borrow();
        if read.contains(pointer) || says_nothing(value) {
            return;
        }
        match value {
            Value::Object(entries)
                if depth < MAX_NAMED_DEPTH || read.iter().any(|other| is_below(other, pointer)) =>
            {
                for (key, value) in entries {
                    let below = format!("{pointer}/{}", plait_core::diagnostic::escape(key));
                    self.collect_unread(value, &below, depth + 1, names);
                }
            }
            // A list with read items counts as read.
            Value::Array(_) if read.iter().any(|other| is_below(other, pointer)) => {}
            _ => names.push(name_of(pointer)),
        }
    }
}

/// A number without its fraction, moved into a range. Other values become the start of the range.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in the range")]
pub(super) fn whole_number(number: f64, range: RangeInclusive<u32>) -> u32 {
    let (start, end) = range.into_inner();
    number.max(f64::from(start)).min(f64::from(end)) as u32
}

/// A setting as it is named in a report.
fn name_of(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".").replace("~1", "/").replace("~0", "~")
}

fn is_below(pointer: &str, parent: &str) -> bool {
    pointer.strip_prefix(parent).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a setting is what it is when nobody sets it.
fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(says_nothing),
        Value::Object(entries) => entries.values().all(says_nothing),
        _ => false,
    }
}
