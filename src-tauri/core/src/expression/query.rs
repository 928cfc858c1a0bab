//! Queries in jq: compiled once, run within a budget on a large stack.
//!
//! A query that only selects parts of its input, or builds values of them, is evaluated in place. Any other goes to the
//! host's evaluator: some of jq's filters take time or memory in one step that the budget does not see.
//!
//! A query reads nothing but its input, and in a loop `$hitl_history`, which is what people answered in it: filters that read the environment, the clock or further inputs, or that write to a
//! log, do not exist.

mod budget;
mod instrument;
mod results;
mod small;

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use jaq_core::load::lex::Lexer;
use jaq_core::load::parse::{Def, Parser, Term};
use jaq_core::load::{Arena, File, Loader, span};
use jaq_core::native::Fun;
use jaq_core::{Compiler, Ctx, Error, Filter, Vars};
use jaq_json::Val;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::HITL_HISTORY;
use super::compile_cache::CompileCache;
use super::deep_stack::block_on_deep_stack;
use super::evaluation::{Evaluation, Evaluator, wrong_result};
use crate::codes;
use crate::error::Fault;
use budget::{Budget, QueryData, QueryTypes, budget_filters};
use instrument::Natives;
use results::ResultLimits;

/// The longest query, in bytes.
const MAX_SOURCE_BYTES: usize = 16 * 1024;
/// The hint for a query that exceeds a limit.
pub const LIMIT_HINT: &str = "Select less, or split the work over several nodes.";
/// Removed filters: filters that reach outside of the query or stop the process, and `fromjson`, which is replaced by
/// one with a depth limit.
const REMOVED_FILTERS: &[&str] = &[
    "debug",
    "debug_empty",
    "env",
    "fromjson",
    "halt",
    "halt_error",
    "input",
    "inputs",
    "localtime",
    "now",
    "stderr",
    "stderr_empty",
    "strflocaltime",
];

/// A query. One that does not compile keeps its error, so that `check` can report it at its place in the flow.
pub struct Query {
    source: Arc<str>,
    compiled: Result<Arc<Compiled>, String>,
}

struct Compiled {
    filter: Filter<QueryTypes>,
    /// Whether it takes time and memory in proportion to its length and its input.
    is_small: bool,
}

impl Query {
    pub(super) fn new(source: &str) -> Self {
        static COMPILED: LazyLock<CompileCache<Result<Arc<Compiled>, String>>> =
            LazyLock::new(CompileCache::new);
        Self {
            source: source.into(),
            compiled: COMPILED.get_or_compile(source, || compile(source).map(Arc::new)),
        }
    }

    /// Why it did not compile, if so.
    pub fn problem(&self) -> Option<&str> {
        self.compiled.as_ref().err().map(String::as_str)
    }

    /// Its first `max_results` results for `value`. Fault codes are `json.*` and `expression.*`.
    pub async fn run(
        &self,
        value: &Arc<Value>,
        max_results: usize,
        evaluator: &dyn Evaluator,
    ) -> Result<Vec<Value>, Fault> {
        self.run_after(value, None, max_results, evaluator).await
    }

    /// Whether it reads the answers of people in the loop around it.
    pub fn reads_answers(&self) -> bool {
        self.source.contains(HITL_HISTORY)
    }

    /// The same after these answers of people.
    pub async fn run_after(
        &self,
        value: &Arc<Value>,
        answers: Option<Arc<Value>>,
        max_results: usize,
        evaluator: &dyn Evaluator,
    ) -> Result<Vec<Value>, Fault> {
        if self.compiled()?.is_small {
            return self.evaluate(value, answers.as_deref(), max_results, CancellationToken::new());
        }
        let (source, value) = (Arc::clone(&self.source), Arc::clone(value));
        match evaluator.evaluate(Evaluation::Query { source, value, max_results, answers }).await? {
            Value::Array(results) => Ok(results),
            _ => Err(wrong_result()),
        }
    }

    fn compiled(&self) -> Result<&Compiled, Fault> {
        let compiled = self.compiled.as_deref();
        compiled.map_err(|problem| Fault::new(codes::JSON_QUERY, problem.clone()))
    }

    /// The same, in this thread.
    pub(super) fn evaluate(
        &self,
        value: &Value,
        answers: Option<&Value>,
        max_results: usize,
        cancel: CancellationToken,
    ) -> Result<Vec<Value>, Fault> {
        evaluate(&self.compiled()?.filter, value, answers, max_results, cancel)
    }
}

impl Default for Query {
    fn default() -> Self {
        Self::new(".")
    }
}

impl<'de> Deserialize<'de> for Query {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|source| Self::new(&source))
    }
}

impl JsonSchema for Query {
    fn schema_name() -> Cow<'static, str> {
        "Query".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "jq" })
    }
}

fn evaluate(
    filter: &Filter<QueryTypes>,
    value: &Value,
    answers: Option<&Value>,
    max_results: usize,
    cancel: CancellationToken,
) -> Result<Vec<Value>, Fault> {
    let failed = |message: String| Fault::new(codes::JSON_QUERY, format!("The query fails: {message}."));
    let limit =
        |why: &str| Fault::new(codes::JSON_LIMIT, format!("The query was stopped: {why}.")).hint(LIMIT_HINT);
    let read = |value: &Value| Val::deserialize(value).map_err(|error| failed(error.to_string()));
    let input = read(value)?;
    let answers = read(answers.unwrap_or(&Value::Array(Vec::new())))?;
    let budget = Budget::new(cancel);
    let data = QueryData { lut: &filter.lut, budget: &budget };
    let context = Ctx::<QueryTypes>::new(data, Vars::new([answers]));
    let mut limits = ResultLimits::default();
    let mut results = Vec::new();
    for result in filter.id.run((context, input)).take(max_results) {
        let result = result.map_err(|stopped| match (budget.exceeded(), stopped.get_err()) {
            (Some(why), _) => limit(why),
            (None, Ok(error)) => failed(error_text(error)),
            (None, Err(_)) => failed("it breaks without a label".to_owned()),
        })?;
        results.push(limits.convert_result(&result).map_err(limit)?);
    }
    Ok(results)
}

fn error_text(error: Error<Val>) -> String {
    match error.into_val() {
        Val::TStr(text) | Val::BStr(text) => String::from_utf8_lossy(&text).into_owned(),
        other => other.to_string(),
    }
}

fn compile(source: &str) -> Result<Compiled, String> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(format!("This query is {} bytes long; the maximum is {MAX_SOURCE_BYTES}.", source.len()));
    }
    // Parsing, compiling and dropping the tree all recurse as deep as the query nests.
    block_on_deep_stack(|| compile_on_this_stack(source))
        .unwrap_or_else(|| Err("This is not a jq query.".to_owned()))
}

fn compile_on_this_stack(source: &str) -> Result<Compiled, String> {
    let natives: Vec<Fun<QueryTypes>> = natives().collect();
    let names: Natives = natives.iter().map(|(name, arguments, _)| (*name, arguments.len())).collect();
    let term = parse(source)?;
    let is_small = small::is_small(&term);
    let body = instrument::instrument_term(term, &names);
    let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let definitions = definitions
        .filter(|one| !is_removed(one.name))
        .map(|one| instrument::instrument_definition(one, &names));
    let own = Def { name: MAIN, args: Vec::new(), body };
    let loader = Loader::new(definitions.chain([own]));
    let arena = Arena::default();
    let invalid_query = || "This is not a jq query.".to_owned();
    let modules = loader.load(&arena, File { code: MAIN, path: () }).map_err(|_| invalid_query())?;
    let compiled = Compiler::default()
        .with_global_vars([ANSWERS])
        .with_funs(natives.into_iter().chain(budget_filters()))
        .compile(modules);
    let filter = compiled.map_err(|errors| {
        let first = errors.iter().flat_map(|(_, errors)| errors).next();
        first.map_or_else(invalid_query, |(name, kind)| {
            format!("{}there is no {} `{name}`.", position_prefix(source, name), kind.as_str())
        })
    })?;
    Ok(Compiled { filter, is_small })
}

/// The answers of people in the loop around the query.
const ANSWERS: &str = "$hitl_history";

/// The name of the query among the definitions.
const MAIN: &str = "__main";

/// The filters that are not defined in jq itself.
fn natives() -> impl Iterator<Item = Fun<QueryTypes>> {
    let all = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    all.filter(|(name, ..)| !is_removed(name)).chain([results::from_json()])
}

fn is_removed(name: &str) -> bool {
    REMOVED_FILTERS.contains(&name)
}

fn parse(source: &str) -> Result<Term<&str>, String> {
    let tokens = Lexer::new(source).lex().map_err(|errors| {
        let first = errors.first().map(|(expected, found)| {
            format!("{}a {} is expected.", position_prefix(source, found), expected.as_str())
        });
        first.unwrap_or_else(|| "This is not a jq query.".to_owned())
    })?;
    Parser::new(&tokens).parse(Parser::term).map_err(|errors| {
        let first = errors.first().map(|(expected, found)| match found {
            Some(token) => {
                format!(
                    "{}{} is expected before `{}`.",
                    position_prefix(source, token.0),
                    expected.as_str(),
                    token.0
                )
            }
            None => format!("At the end of the query: {} is expected.", expected.as_str()),
        });
        first.unwrap_or_else(|| "This is not a jq query.".to_owned())
    })
}

/// The position of a part of the query as the start of a message; empty if it is not a part of it.
fn position_prefix(source: &str, part: &str) -> String {
    let inside = source.as_bytes().as_ptr_range().contains(&part.as_ptr());
    let Some(before) = inside.then(|| source.get(..span(source, part).start)).flatten() else {
        return String::new();
    };
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let (line, column) = (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1);
    format!("Line {line}, column {column} of the query: ")
}
