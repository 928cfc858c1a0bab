//! Conditions (CEL) and queries (jq), evaluated as nodes do: in place where a static bound proves them small, else in a
//! worker process with limits. The first byte chooses the language: `c` is a condition, anything else a query. Then come
//! the source and, after a zero byte, the value.

use std::sync::Arc;

use plait_adapters::workers::WorkerPool;
use plait_core::expression::condition::Condition;
use plait_core::expression::query::Query;
use serde_json::Value;

use super::{Handler, gist, json, magnitude, parts, runtime, worker_pool};

pub(super) const SEEDS: &[&str] = &[
    "cvalue > 3 && value < 10\0{\"value\": 5}",
    "cvalue.items.all(x, x > 0)\0{\"items\": [1, 2, 3]}",
    "cvalue.items.map(x, x * 2).exists(y, y == 4)\0{\"items\": [1, 2, 3]}",
    "cvalue.matches('^a+b')\0\"aaab\"",
    "cvalue.contains('x') || size(value) == 0\0\"text\"",
    "c[1, 2].all(a, [1, 2].all(b, a == b))\0null",
    "cvalue.a in ['b', 'c'] ? true : has(value.d)\0{\"a\": \"b\"}",
    "cduration('1h') < duration('90m') && timestamp('2024-01-01T00:00:00Z').getFullYear() == 2024\0null",
    "q.items[] | select(.price > 3) | .name\0{\"items\": [{\"name\": \"a\", \"price\": 4}]}",
    "q[.[] | . * 2] | add / length\0[1, 2, 3]",
    "qto_entries | map({(.key): .value}) | add\0{\"a\": 1, \"b\": [2]}",
    "qdef f: if . < 2 then . else (. - 1 | f) + (. - 2 | f) end; 10 | f\0null",
    "qreduce range(10) as $i (0; . + $i)\0null",
    "q[limit(5; repeat(1))] | tojson | fromjson | sort | unique | group_by(.)\0null",
    "q.a.b.c // \"none\" | ascii_downcase | test(\"^n\")\0{\"a\": {\"b\": {}}}",
    "q. as [$a, {b: $c}] | $a + $c | @base64 | ltrimstr(\"x\") | .[1:3]\0[1, {\"b\": 2}]",
    "qpath(..) | tostring, input_line_number?\0{\"a\": [1, {\"b\": null}]}",
    "qwalk(if type == \"number\" then . + 1 else . end) | getpath([\"a\", 0]) | try error catch .\0{\"a\": [1]}",
];

pub(super) const WORDS: &[&str] = &[
    "value",
    "value.items",
    ".all(x, ",
    ".exists(x, ",
    ".map(x, x + x)",
    ".filter(x, ",
    "size(",
    ".matches(",
    " && ",
    " || ",
    " ? ",
    " in ",
    " | ",
    ".[]",
    "..",
    "map(",
    "select(",
    "reduce ",
    "foreach ",
    "range(1e9)",
    "repeat(.)",
    "recurse",
    "limit(3; ",
    "group_by(.)",
    "sort_by(.)",
    "tojson",
    "fromjson",
    "def f: f; f",
    "as $x",
    "test(\"(a+)+b\")",
    "@base64",
    "@json",
    "\\(.)",
    "splits(\"a\")",
    "ltrimstr",
    "implode",
    "explode",
    "strftime(\"%Y\")",
    "mktime",
    "$__loc__",
    "input",
    "env",
    "?//",
    "try ",
    "catch ",
    "label $out | ",
    "break $out",
    "if . then ",
    " else . end",
];

/// How many results of a query are asked for, as `json` nodes do.
const MAX_RESULTS: usize = 100;

pub(super) struct ExpressionHandler {
    runtime: tokio::runtime::Runtime,
    workers: WorkerPool,
}

impl ExpressionHandler {
    pub(super) fn new() -> anyhow::Result<Self> {
        Ok(Self { runtime: runtime()?, workers: worker_pool()? })
    }
}

impl Handler for ExpressionHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        let Some((&language, input)) = input.split_first() else { return Ok(String::new()) };
        let (source, value) = parts(input);
        let value = Arc::new(json(&value));
        let source = Value::String(source);
        if language == b'c' {
            let Ok(condition) = serde_json::from_value::<Condition>(source) else {
                return Ok("no condition".into());
            };
            let result = self.runtime.block_on(condition.is_true(&value, &self.workers));
            let result = result.map_err(|fault| gist(&fault.message));
            Ok(format!("c {:?} {result:?}", condition.problem().map(gist)))
        } else {
            let Ok(query) = serde_json::from_value::<Query>(source) else {
                return Ok("no query".into());
            };
            let result = self.runtime.block_on(query.run(&value, MAX_RESULTS, &self.workers));
            let size = result.map(|results| magnitude(results.len())).map_err(|fault| gist(&fault.message));
            Ok(format!("q {:?} {size:?}", query.problem().map(gist)))
        }
    }
}
