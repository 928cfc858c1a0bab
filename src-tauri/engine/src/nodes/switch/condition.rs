//! A condition over a value, in CEL: compiled once, decided within bounds. CEL has no loops but over what it is given;
//! conditions that nest them are bounded by how often they would go round.

use std::borrow::Cow;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use cel::{Context, Env, Program};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::shape;
use crate::error::Fault;
use crate::nodes::deep_stack::on_deep_stack;
use crate::nodes::kept::Kept;

/// The longest condition, in bytes.
const MAX_SOURCE: usize = 2048;
/// How often the loops of a condition may go round, all told.
const MAX_ROUNDS: u64 = 1_000_000;

static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(Env::stdlib()));

/// A condition. One that does not compile is kept with what is wrong, for `check` to report at its place in the flow.
pub(super) struct Condition {
    compiled: Result<Arc<Compiled>, String>,
}

struct Compiled {
    program: Program,
    /// How deep loops (`all`, `exists`, `map`, `filter`) nest.
    loops: u32,
}

impl Condition {
    fn new(source: &str) -> Self {
        static COMPILED: Kept<Result<Arc<Compiled>, String>> = Kept::new();
        Self { compiled: COMPILED.get_or_make(source, || compile(source).map(Arc::new)) }
    }

    /// What is wrong with it, if it did not compile.
    pub(super) fn problem(&self) -> Option<&str> {
        self.compiled.as_ref().err().map(String::as_str)
    }

    /// Whether it holds for `value`. Faults are coded `switch.*`.
    pub(super) fn holds(&self, value: &Value) -> Result<bool, Fault> {
        let compiled =
            self.compiled.as_ref().map_err(|problem| Fault::new("switch.condition", problem.clone()))?;
        let Compiled { program, loops } = &**compiled;
        if parts(value).checked_pow(*loops).is_none_or(|rounds| rounds > MAX_ROUNDS) {
            return Err(Fault::new(
                "switch.too_much",
                "its nested loops go round too often for so large a value.",
            )
            .hint("Pick what is needed with a `json` node first."));
        }
        let mut context = Context::with_env(Arc::clone(&ENV));
        context.add_variable_from_value("value", to_cel(value));
        let decided = catch_unwind(AssertUnwindSafe(|| program.execute(&context)));
        let hint = "`has(value.name)` says whether there is such a part; `type(value)` what it is.";
        match decided {
            Ok(Ok(cel::Value::Bool(holds))) => Ok(holds),
            Ok(Ok(_)) => Err(Fault::new("switch.condition", "it gives neither true nor false.").hint(hint)),
            Ok(Err(error)) => Err(Fault::new("switch.condition", format!("{error}.")).hint(hint)),
            Err(_) => Err(Fault::new("switch.condition", "it can't be computed for this value.").hint(hint)),
        }
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|source| Self::new(&source))
    }
}

impl JsonSchema for Condition {
    fn schema_name() -> Cow<'static, str> {
        "Condition".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "cel" })
    }
}

fn compile(source: &str) -> Result<Compiled, String> {
    if source.len() > MAX_SOURCE {
        return Err(format!("This condition is {} bytes long; the most is {MAX_SOURCE}.", source.len()));
    }
    // Everything that recurses over a tree of unknown depth, dropping it included, happens there.
    on_deep_stack(|| parse(source)).unwrap_or_else(|| Err("This is not a CEL condition.".to_owned()))
}

fn parse(source: &str) -> Result<Compiled, String> {
    let program = ENV.compile(source).map_err(|errors| {
        let told = errors.errors.first().map(|error| {
            let (line, column) = error.pos;
            format!("Line {line}, column {column} of the condition: {}.", error.msg.trim_end_matches('.'))
        });
        told.unwrap_or_else(|| "This is not a CEL condition.".to_owned())
    })?;
    let loops = shape::loops(&program.expression().expr)?;
    Ok(Compiled { program, loops })
}

/// Of how many values a value is made, itself counted.
fn parts(value: &Value) -> u64 {
    1 + match value {
        Value::Array(items) => items.iter().map(parts).sum(),
        Value::Object(entries) => entries.values().map(parts).sum(),
        _ => 0,
    }
}

/// Whole numbers become CEL's `int`, so that they compare with the numbers people write.
fn to_cel(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(value) => cel::Value::Bool(*value),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => cel::Value::Int(number),
            (None, Some(number)) => cel::Value::UInt(number),
            (None, None) => cel::Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => cel::Value::from(text.as_str()),
        Value::Array(items) => cel::Value::from(items.iter().map(to_cel).collect::<Vec<_>>()),
        Value::Object(entries) => {
            let entries = entries.iter().map(|(name, value)| (name.clone(), to_cel(value)));
            cel::Value::from(entries.collect::<HashMap<String, cel::Value>>())
        }
    }
}
