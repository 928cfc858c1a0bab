//! How a loop repeats its body: its settings, and what its condition says.

use plait_core::Value;
use serde_json::Map;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    While,
    Times,
    ForEach,
}

#[derive(Clone, Debug)]
pub struct Repetition {
    pub kind: Kind,
    pub condition: Option<String>,
    pub times: u32,
    pub concurrency: usize,
    pub continues_on_error: bool,
    pub max_iterations: u32,
}

impl Repetition {
    pub fn of(config: &Map<String, Value>) -> Self {
        let number = |key: &str, default: u32| {
            config.get(key).and_then(Value::as_u64).map_or(default, |number| u32::try_from(number).unwrap())
        };
        let text = |key: &str| config.get(key).and_then(Value::as_str);
        Self {
            kind: match text("kind") {
                Some("times") => Kind::Times,
                Some("forEach") => Kind::ForEach,
                _ => Kind::While,
            },
            condition: text("condition").map(str::to_owned),
            times: number("times", 1),
            concurrency: number("concurrency", 1) as usize,
            continues_on_error: text("kind") == Some("forEach") && text("on_error") == Some("continue"),
            max_iterations: number("max_iterations", 100),
        }
    }

    pub fn is_for_each(&self) -> bool {
        self.kind == Kind::ForEach
    }
}

/// The conditions that random loops have.
pub const CONDITIONS: &[&str] = &[
    "index<2",
    "index<3&&previous!=null",
    "previous!=input",
    "input==null||index<1",
    "index==0||previous==null",
    "previous.size()<9",
    "previous.score>3",
];

/// Whether a condition holds. Nothing if it can't be evaluated.
pub fn holds(condition: &str, index: u32, previous: &Value, input: &Value) -> Option<bool> {
    Some(match condition {
        "index<2" => index < 2,
        "index<3&&previous!=null" => index < 3 && !previous.is_null(),
        "previous!=input" => previous != input,
        "input==null||index<1" => input.is_null() || index < 1,
        "index==0||previous==null" => index == 0 || previous.is_null(),
        "previous.size()<9" => match previous {
            Value::String(text) => text.chars().count() < 9,
            Value::Array(items) => items.len() < 9,
            Value::Object(fields) => fields.len() < 9,
            _ => return None,
        },
        "previous.score>3" => match previous {
            Value::Object(fields) => fields.get("score")?.as_u64()? > 3,
            _ => return None,
        },
        other => panic!("no such condition: {other}"),
    })
}

/// Whether a value on `exit` ends a loop: it is not null, false, 0 or empty.
pub fn ends(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(holds) => *holds,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}
