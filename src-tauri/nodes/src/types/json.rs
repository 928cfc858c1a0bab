//! `json`: transforms a value with a jq query.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use plait_core::error::Fault;
use plait_core::expression::query::{LIMIT_HINT, Query};
use plait_core::port::{PortKind, PortType, Ports};
use plait_run::node::{Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};

use crate::codes;

pub(super) struct Json;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The query, in the language of [jq](https://jqlang.org/manual/). The value on the input is `.`.
    query: Query,
    /// Whether to output the first result or a list of all results.
    mode: Mode,
}

/// Which of a query's results are the output.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Mode {
    /// The first result. Without results there is no output, and nodes that depend on it are skipped.
    #[default]
    First,
    /// All results, as a list.
    List,
}

/// How many results a list may have.
const MAX_RESULTS: usize = 100_000;

impl NodeType for Json {
    type Config = Config;

    const TYPE: &'static str = "json";
    const TITLE: &'static str = "JSON query";
    const SUMMARY: &'static str = "Transforms a value with a jq query";
    const DESCRIPTION: &'static str = "Runs a [jq](https://jqlang.org/manual/) query on a value.\n\n\
        - `.user.name`, `.items[0]`, `.items[-1]`: select a part\n\
        - `.items | map(select(.price > 10)) | length`: filter and count\n\
        - `{name, total: (.prices | add)}`: build an object\n\
        - `fromjson`: parse text as JSON\n\
        - `select(.ok)`: passes the value on, or nothing; then nodes that depend on it are skipped\n\
        - `[$hitl_history[].answer]`: in a loop, what people answered\n\n\
        A query reads nothing else. Its running time and memory are limited; a query that exceeds a limit fails with \
        `json.limit`.";
    const CATEGORY: Category = Category::Data;
    const ICON: &'static str = "file-json-2";
    const TERMS: &'static [&'static str] =
        &["jq", "query", "filter", "map", "select", "pick", "extract", "transform", "parse"];

    fn ports(_: &Config) -> Ports {
        Ports::new()
            .input("value", PortKind::Data, PortType::Any, "The value, `.` in the query")
            .output("result", PortKind::Data, PortType::Any, "The result of the query")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("query")])
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        config.query.problem().map(|problem| ("/query".to_owned(), problem.to_owned())).into_iter().collect()
    }

    fn examples() -> Vec<Example> {
        let basket = json!({ "items": [{ "name": "tea", "price": 4 }, { "name": "cup", "price": 12 }] });
        vec![
            Example::new("Items above a price")
                .config(json!({ "query": "[.items[] | select(.price > 10) | .name]" }))
                .input("value", basket.clone())
                .outputs(json!({ "result": ["cup"] })),
            Example::new("Every price, as a list")
                .config(json!({ "query": ".items[].price", "mode": "list" }))
                .input("value", basket)
                .outputs(json!({ "result": [4, 12] })),
            Example::new("No result")
                .config(json!({ "query": "select(.ok)" }))
                .input("value", json!({ "ok": false })),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let Some(datum) = inputs.datum("value") else { return Ok(NodeOutput::new()) };
        let max_results = match config.mode {
            Mode::First => 1,
            Mode::List => MAX_RESULTS + 1,
        };
        let answers = config.query.reads_answers().then(|| node_context.hitl_history());
        let evaluator = &*node_context.host.evaluator;
        let mut results = config.query.run_after(&datum.value, answers, max_results, evaluator).await?;
        Ok(match config.mode {
            Mode::First => match results.pop() {
                Some(result) => NodeOutput::of("result", result),
                None => NodeOutput::new(),
            },
            Mode::List if results.len() > MAX_RESULTS => {
                return Err(Fault::new(
                    codes::JSON_LIMIT,
                    format!("The query has more than {MAX_RESULTS} results."),
                )
                .hint(LIMIT_HINT));
            }
            Mode::List => NodeOutput::of("result", results),
        })
    }
}

#[cfg(test)]
mod tests;
