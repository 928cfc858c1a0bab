//! How many steps a validation takes at most, counted before it begins.
//!
//! A validator evaluates a subschema again for each path to it, so 40 levels of two references each take 2⁴⁰ steps.
//! Here each pair of a subschema and a value is counted once and its cost remembered, so counting takes at most
//! [`MAX_PAIRS`] steps where validating would never end.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// Maximum steps of a validation. A step is a keyword that is applied to a value, or a part of a value that is compared:
/// about 100 ns, so a validation takes at most about 100 ms.
const MAX_STEPS: u64 = 1_000_000;
/// Maximum pairs of a subschema and a value that are counted.
const MAX_PAIRS: usize = 500_000;
/// Maximum subschemas that apply to one value through each other, one inside the other. Validating recurses.
const MAX_NESTING_DEPTH: usize = 200;

/// Why a validation is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It would take too many steps.
    TooMuch,
    /// A reference leads back to itself without going into the value.
    Endless,
}

impl Refusal {
    /// The reason, as the end of a sentence about the schema.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::TooMuch => "it takes too many steps for a value of this size",
            Self::Endless => "it refers to itself without end",
        }
    }
}

/// Refuses a validation of `value` that could take more than [`MAX_STEPS`].
pub fn check(schema: &Value, value: &Value) -> Result<(), Refusal> {
    let mut counter = Counter { root: schema, anchors: anchors(schema), counted: HashMap::new() };
    match counter.cost(schema, value, 0)? {
        steps if steps > MAX_STEPS => Err(Refusal::TooMuch),
        _ => Ok(()),
    }
}

/// A subschema and a value, by their addresses. Both are borrowed while counting, so an address means one thing.
type Pair = (usize, usize);

struct Counter<'a> {
    root: &'a Value,
    /// Subschemas by their `$anchor` or `$dynamicAnchor`.
    anchors: HashMap<&'a str, &'a Value>,
    /// None while a pair is being counted: to meet it again then means that it never ends.
    counted: HashMap<Pair, Option<u64>>,
}

impl<'a> Counter<'a> {
    fn cost(&mut self, schema: &'a Value, value: &'a Value, depth: usize) -> Result<u64, Refusal> {
        let Value::Object(keywords) = schema else { return Ok(1) };
        let pair = (std::ptr::from_ref(schema).addr(), std::ptr::from_ref(value).addr());
        match self.counted.get(&pair) {
            Some(Some(steps)) => return Ok(*steps),
            Some(None) => return Err(Refusal::Endless),
            None => {}
        }
        if depth > MAX_NESTING_DEPTH || self.counted.len() >= MAX_PAIRS {
            return Err(Refusal::TooMuch);
        }
        self.counted.insert(pair, None);
        let mut steps: u64 = 1;
        for (keyword, argument) in keywords {
            steps = steps.saturating_add(self.keyword(keywords, keyword, argument, value, depth + 1)?);
        }
        self.counted.insert(pair, Some(steps));
        Ok(steps)
    }

    fn keyword(
        &mut self,
        keywords: &'a Map<String, Value>,
        keyword: &str,
        argument: &'a Value,
        value: &'a Value,
        depth: usize,
    ) -> Result<u64, Refusal> {
        match keyword {
            "$ref" | "$dynamicRef" | "$recursiveRef" => match self.resolve(argument) {
                Some(target) => self.cost(target, value, depth),
                // The validator refuses it when it is compiled.
                None => Ok(1),
            },
            "allOf" | "anyOf" | "oneOf" => self.sum(subschemas(argument), &[value], depth),
            "not" | "if" | "then" | "else" => self.cost(argument, value, depth),
            "dependentSchemas" | "dependencies" => self.sum(members(argument), &[value], depth),
            "properties" => {
                let mut steps: u64 = 1;
                for (name, schema) in argument.as_object().into_iter().flatten() {
                    if let Some(member) = value.get(name) {
                        steps = steps.saturating_add(self.cost(schema, member, depth)?);
                    }
                }
                Ok(steps)
            }
            "patternProperties" => self.sum(members(argument), &members(value), depth),
            "additionalProperties" => {
                let named = keywords.get("properties").and_then(Value::as_object);
                let others = value.as_object().into_iter().flatten();
                let others = others.filter(|(name, _)| named.is_none_or(|named| !named.contains_key(*name)));
                self.sum([argument], &others.map(|(_, member)| member).collect::<Vec<_>>(), depth)
            }
            "unevaluatedProperties" => self.sum([argument], &members(value), depth),
            // Names are texts like the value's own; what matters is how many there are.
            "propertyNames" => {
                let steps = self.cost(argument, &Value::Null, depth)?;
                Ok(steps.saturating_mul(value.as_object().map_or(0, Map::len) as u64))
            }
            "items" | "contains" | "additionalItems" | "unevaluatedItems" | "prefixItems" => {
                self.sum(subschemas(argument), &items(value), depth)
            }
            "enum" => {
                let options = argument.as_array().map_or(1, Vec::len) as u64;
                Ok(options.saturating_mul(size(value)))
            }
            "const" => Ok(size(value)),
            // Each item is compared with each other one.
            "uniqueItems" => Ok((items(value).len() as u64).saturating_mul(size(value))),
            // A backtracking pattern has a limit of its own with smaller steps.
            "pattern" => Ok(1 + size(value) / 16),
            _ => Ok(1),
        }
    }

    fn sum(
        &mut self,
        schemas: impl IntoIterator<Item = &'a Value>,
        values: &[&'a Value],
        depth: usize,
    ) -> Result<u64, Refusal> {
        let mut steps: u64 = 1;
        for schema in schemas {
            for value in values {
                steps = steps.saturating_add(self.cost(schema, value, depth)?);
            }
        }
        Ok(steps)
    }

    /// The target of a reference within the document.
    fn resolve(&self, reference: &Value) -> Option<&'a Value> {
        let fragment = reference.as_str()?.strip_prefix('#')?;
        if fragment.is_empty() || fragment.starts_with('/') {
            let decoded = percent_decode(fragment);
            return self.root.pointer(&decoded);
        }
        self.anchors.get(fragment).copied()
    }
}

/// One subschema, or the subschemas of a list.
fn subschemas(argument: &Value) -> Vec<&Value> {
    match argument {
        Value::Array(schemas) => schemas.iter().collect(),
        schema => vec![schema],
    }
}

fn members(value: &Value) -> Vec<&Value> {
    value.as_object().map(|members| members.values().collect()).unwrap_or_default()
}

fn items(value: &Value) -> Vec<&Value> {
    value.as_array().map(|items| items.iter().collect()).unwrap_or_default()
}

/// How many values it consists of, a text counting one more for every 64 bytes.
fn size(value: &Value) -> u64 {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members.values().map(size).sum(),
        Value::String(text) => text.len() as u64 / 64,
        _ => 0,
    }
}

fn anchors(schema: &Value) -> HashMap<&str, &Value> {
    let mut anchors = HashMap::new();
    let mut rest = vec![schema];
    while let Some(value) = rest.pop() {
        match value {
            Value::Object(members) => {
                for keyword in ["$anchor", "$dynamicAnchor"] {
                    anchors.extend(members.get(keyword).and_then(Value::as_str).map(|name| (name, value)));
                }
                rest.extend(members.values());
            }
            Value::Array(items) => rest.extend(items),
            _ => {}
        }
    }
    anchors
}

/// The bytes behind `%41` and the like; a fragment is part of a URI.
fn percent_decode(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = (first == b'%').then(|| after.get(..2)).flatten();
        let byte = hex
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        if let Some(byte) = byte {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
