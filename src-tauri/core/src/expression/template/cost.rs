//! How much work rendering a template is at most, from its text and its values, without rendering it.

use serde_json::{Map, Value};

use super::limits::MAX_ITERATIONS;

/// The most work that is done in place. A unit is a byte that a tag reads or writes, about a nanosecond; so about 30 ms.
pub(super) const MAX_IN_PLACE: u64 = 30_000_000;

/// The most work that rendering can be: every tag, as often as its blocks can repeat, reads all values. Joins multiply a text by
/// the length of a list.
pub(super) fn of(source: &str, values: &Map<String, Value>) -> u64 {
    let tags = count(source, "{{");
    if tags == 0 {
        return 0;
    }
    // Parentheses are calls within a tag.
    let calls = tags + count(source, "(");
    let mut extent = Extent { bytes: 0, longest: 1 };
    for value in values.values() {
        extent.add(value);
    }
    let repeats = extent.longest.saturating_pow(exponent(count(source, "#each"))).min(MAX_ITERATIONS as u64);
    let joined = extent.longest.saturating_pow(exponent(count(source, "join")));
    calls.saturating_mul(repeats).saturating_mul(joined).saturating_mul(extent.bytes.max(1))
}

fn count(source: &str, part: &str) -> u64 {
    source.matches(part).count() as u64
}

fn exponent(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// How large values are.
struct Extent {
    /// Approximately, as JSON.
    bytes: u64,
    /// The length of the longest list or object.
    longest: u64,
}

impl Extent {
    fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.bytes += text.len() as u64 + 2,
            Value::Array(items) => {
                self.longest = self.longest.max(items.len() as u64);
                self.bytes += items.len() as u64 + 2;
                for item in items {
                    self.add(item);
                }
            }
            Value::Object(members) => {
                self.longest = self.longest.max(members.len() as u64);
                self.bytes += members.keys().map(|name| name.len() as u64 + 4).sum::<u64>() + 2;
                for member in members.values() {
                    self.add(member);
                }
            }
            _ => self.bytes += 8,
        }
    }
}
