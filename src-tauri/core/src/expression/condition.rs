//! Conditions and watches in CEL: compiled once, evaluated within limits.
//!
//! Without a loop (`all`, `exists`, `map`, `filter`), a condition takes time in proportion to its length and to the
//! value, so it is evaluated in place. Loops can repeat and double their input, so a condition with a loop goes to the
//! host's evaluator.

mod bounds;

use std::borrow::Cow;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use cel::{Context, Env, Program};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::HITL_HISTORY;
use super::compile_cache::CompileCache;
use super::deep_stack::block_on_deep_stack;
use super::evaluation::{Evaluation, Evaluator, Subject, wrong_result};
use crate::codes;
use crate::error::Fault;

/// The longest condition, in bytes.
const MAX_SOURCE_BYTES: usize = 2048;
/// How many iterations the loops of a condition may take in total, over its input or over lists that it writes.
const MAX_ITERATIONS: u64 = 1_000_000;

static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(Env::stdlib()));

/// A condition. One that does not compile keeps its error, so that `check` can report it at its place in the flow.
pub struct Condition {
    source: Arc<str>,
    subject: Subject,
    compiled: Result<Arc<Compiled>, String>,
}

pub struct IterationCondition(Condition);

/// A condition on a place at which an activation is held.
pub struct StopCondition(Condition);

/// An expression of which a person wants to see the value at a moment of a run.
pub struct Watch(Condition);

struct Compiled {
    program: Program,
    /// How deep its loops nest.
    loop_depth: u32,
    /// How many values it writes itself.
    literals: u64,
    /// The variables that it reads.
    variables: Vec<&'static str>,
}

impl Condition {
    pub(super) fn new(source: &str, subject: Subject) -> Self {
        type Compilations = LazyLock<CompileCache<Result<Arc<Compiled>, String>>>;
        static OF_VALUE: Compilations = LazyLock::new(CompileCache::new);
        static OF_ITERATION: Compilations = LazyLock::new(CompileCache::new);
        static OF_STOP: Compilations = LazyLock::new(CompileCache::new);
        static OF_MOMENT: Compilations = LazyLock::new(CompileCache::new);
        let compiled = match subject {
            Subject::Value => &OF_VALUE,
            Subject::Iteration => &OF_ITERATION,
            Subject::Stop => &OF_STOP,
            Subject::Moment => &OF_MOMENT,
        };
        Self {
            source: source.into(),
            subject,
            compiled: compiled.get_or_compile(source, || compile(source, subject).map(Arc::new)),
        }
    }

    /// Why it did not compile, if so.
    pub fn problem(&self) -> Option<&str> {
        self.compiled.as_ref().err().map(String::as_str)
    }

    /// Whether it reads this variable. One that does not compile reads none.
    pub fn reads(&self, variable: &str) -> bool {
        self.compiled.as_ref().is_ok_and(|compiled| compiled.variables.contains(&variable))
    }

    /// Whether it is true for `value`. Fault codes are `switch.*` and `expression.*`.
    pub async fn is_true(&self, value: &Arc<Value>, evaluator: &dyn Evaluator) -> Result<bool, Fault> {
        self.is_true_after(value, None, evaluator).await
    }

    /// Whether it reads the answers of people in the loop around it.
    pub fn reads_answers(&self) -> bool {
        self.reads(HITL_HISTORY)
    }

    /// Whether it is true for `value` after these answers of people.
    pub async fn is_true_after(
        &self,
        value: &Arc<Value>,
        answers: Option<Arc<Value>>,
        evaluator: &dyn Evaluator,
    ) -> Result<bool, Fault> {
        if self.compiled()?.loop_depth == 0 {
            return self.evaluate(value, answers.as_deref());
        }
        let evaluation = Evaluation::Condition {
            source: Arc::clone(&self.source),
            subject: self.subject,
            value: Arc::clone(value),
            answers,
        };
        evaluator.evaluate(evaluation).await?.as_bool().ok_or_else(wrong_result)
    }

    fn compiled(&self) -> Result<&Compiled, Fault> {
        let compiled = self.compiled.as_deref();
        compiled.map_err(|problem| Fault::new(codes::SWITCH_CONDITION, problem.clone()))
    }

    /// Whether it is true for `value`, in this thread.
    pub(super) fn evaluate(&self, value: &Value, answers: Option<&Value>) -> Result<bool, Fault> {
        match self.compute(value, answers)? {
            cel::Value::Bool(is_true) => Ok(is_true),
            _ => Err(Fault::new(codes::SWITCH_CONDITION, "its result is neither true nor false.")
                .hint(self.subject.hint())),
        }
    }

    fn compute(&self, value: &Value, answers: Option<&Value>) -> Result<cel::Value, Fault> {
        let Compiled { program, loop_depth, literals, .. } = self.compiled()?;
        let values = literals.saturating_add(count_values(value) + answers.map_or(0, count_values));
        if values.checked_pow(*loop_depth).is_none_or(|iterations| iterations > MAX_ITERATIONS) {
            return Err(Fault::new(
                codes::SWITCH_TOO_MUCH,
                "its nested loops take too many iterations for a value of this size.",
            )
            .hint("Select the needed part with a `json` node first."));
        }
        let mut context = Context::with_env(Arc::clone(&ENV));
        let no_answers = Value::Array(Vec::new());
        for name in self.subject.names() {
            let value = match (*name, self.subject) {
                (HITL_HISTORY, _) => answers.unwrap_or(&no_answers),
                (_, Subject::Value) => value,
                (field, Subject::Iteration | Subject::Stop | Subject::Moment) => &value[field],
            };
            context.add_variable_from_value(*name, to_cel(value));
        }
        let fault = |problem: String| Fault::new(codes::SWITCH_CONDITION, problem).hint(self.subject.hint());
        match catch_unwind(AssertUnwindSafe(|| program.execute(&context))) {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(fault(format!("{error}."))),
            Err(_) => Err(fault("it cannot be computed for this value.".to_owned())),
        }
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|source| Self::new(&source, Subject::Value))
    }
}

impl std::ops::Deref for IterationCondition {
    type Target = Condition;

    fn deref(&self) -> &Condition {
        &self.0
    }
}

impl StopCondition {
    /// Compiles `source`.
    pub fn new(source: &str) -> Self {
        Self(Condition::new(source, Subject::Stop))
    }
}

impl Watch {
    /// Compiles `source`.
    pub fn new(source: &str) -> Self {
        Self(Condition::new(source, Subject::Moment))
    }

    /// Whether it reads this variable. One that does not compile reads none.
    pub fn reads(&self, variable: &str) -> bool {
        self.0.reads(variable)
    }

    /// Its value, given an object with the variables. `switch.condition` if it does not compile or has no value there, and the faults of
    /// the evaluator.
    pub async fn value(&self, variables: &Arc<Value>, evaluator: &dyn Evaluator) -> Result<Value, Fault> {
        if self.0.compiled()?.loop_depth == 0 {
            return self.evaluate(variables);
        }
        let evaluation =
            Evaluation::Watch { source: Arc::clone(&self.0.source), value: Arc::clone(variables) };
        evaluator.evaluate(evaluation).await
    }

    /// Its value, in this thread.
    pub(super) fn evaluate(&self, variables: &Value) -> Result<Value, Fault> {
        let value = self.0.compute(variables, None)?;
        let json = value.json();
        json.map_err(|_| {
            Fault::new(codes::SWITCH_CONDITION, "its result is a function or a type, which no JSON can hold.")
        })
    }
}

impl std::ops::Deref for StopCondition {
    type Target = Condition;

    fn deref(&self) -> &Condition {
        &self.0
    }
}

impl<'de> Deserialize<'de> for IterationCondition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|source| Self(Condition::new(&source, Subject::Iteration)))
    }
}

impl JsonSchema for IterationCondition {
    fn schema_name() -> Cow<'static, str> {
        "IterationCondition".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Condition::json_schema(generator)
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

fn compile(source: &str, subject: Subject) -> Result<Compiled, String> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(format!(
            "This {} is {} bytes long; the maximum is {MAX_SOURCE_BYTES}.",
            subject.noun(),
            source.len()
        ));
    }
    // Parsing, analyzing and dropping the tree all recurse as deep as the condition nests.
    block_on_deep_stack(|| parse(source, subject))
        .unwrap_or_else(|| Err(format!("This is not a CEL {}.", subject.noun())))
}

fn parse(source: &str, subject: Subject) -> Result<Compiled, String> {
    let program = ENV.compile(source).map_err(|errors| {
        let message = errors.errors.first().map(|error| {
            let (line, column) = error.pos;
            let noun = subject.noun();
            format!("Line {line}, column {column} of the {noun}: {}.", error.msg.trim_end_matches('.'))
        });
        message.unwrap_or_else(|| format!("This is not a CEL {}.", subject.noun()))
    })?;
    let bounds::Bounds { loop_depth, literals } =
        bounds::analyze(&program.expression().expr, subject.names())?;
    let references = program.references();
    let names = subject.names().iter().copied();
    let variables = names.filter(|name| references.has_variable(*name)).collect();
    Ok(Compiled { program, loop_depth, literals, variables })
}

/// How many values a value consists of, including itself.
fn count_values(value: &Value) -> u64 {
    1 + match value {
        Value::Array(items) => items.iter().map(count_values).sum(),
        Value::Object(entries) => entries.values().map(count_values).sum(),
        _ => 0,
    }
}

/// Integers become CEL's `int`, so that they compare with the integers people write.
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
