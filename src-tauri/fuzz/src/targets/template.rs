//! Templates. An input is the source and, after a zero byte, an object with the values.

use plait_adapters::workers::WorkerPool;
use plait_core::expression::template::Template;
use serde_json::{Map, Value};

use super::{Handler, json, magnitude, parts, runtime, worker_pool};

pub(super) const SEEDS: &[&str] = &[
    "Hello {{name}}!\0{\"name\": \"Ada\"}",
    "{{#each items}}{{@index}}: {{this.name}}{{#unless @last}}, {{/unless}}{{/each}}\0{\"items\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}",
    "{{#if (gt count 3)}}many{{else}}few{{/if}}\0{\"count\": 5}",
    "{{#with user}}{{name}} {{../title}}{{/with}}\0{\"user\": {\"name\": \"A\"}, \"title\": \"T\"}",
    "{{json value}} {{upper text}} {{lower text}} {{trim text}} {{len items}}\0{\"value\": {\"a\": 1}, \"text\": \" Ab \", \"items\": [1]}",
    "{{join items \", \"}} {{default missing \"none\"}} {{lookup map key}}\0{\"items\": [\"a\"], \"map\": {\"k\": 1}, \"key\": \"k\"}",
    "{{{raw}}} {{!-- comment --}} {{~tight~}}\0{\"raw\": \"<b>\", \"tight\": 1}",
    "{{len (join l b)}}\0{\"l\": [1, 2], \"b\": \"xx\"}",
];

pub(super) const WORDS: &[&str] = &[
    "{{",
    "}}",
    "{{{",
    "}}}",
    "{{#each items}}",
    "{{/each}}",
    "{{#if ",
    "{{else}}",
    "{{/if}}",
    "{{#with ",
    "{{/with}}",
    "{{> partial}}",
    "{{#*inline \"x\"}}",
    "{{/inline}}",
    "{{this}}",
    "{{../x}}",
    "{{@root}}",
    "@index",
    "(join ",
    "(len ",
    "(json ",
    "(lookup ",
    "(eq ",
    " as |a b|",
    "~",
];

pub(super) struct TemplateHandler {
    runtime: tokio::runtime::Runtime,
    workers: WorkerPool,
}

impl TemplateHandler {
    pub(super) fn new() -> anyhow::Result<Self> {
        Ok(Self { runtime: runtime()?, workers: worker_pool()? })
    }
}

impl Handler for TemplateHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        let (source, values) = parts(input);
        let values = match json(&values) {
            Value::Object(values) => values,
            other => Map::from_iter([("items".to_owned(), other)]),
        };
        let template = Template::new(source);
        let result = self.runtime.block_on(template.render(values, &self.workers));
        let size = result.map(|text| magnitude(text.len())).map_err(|fault| fault.code);
        Ok(format!("{:?} {} {size:?}", template.problem().is_some(), magnitude(template.variables().len())))
    }
}
