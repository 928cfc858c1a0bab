//! Answers to questions: a text is read as a value that the question's schema accepts. An input is the schema and, after a
//! zero byte, the text.

use plait_api::runs::answer_text::{answer_choices, parse_answer, parse_decision};
use plait_core::expression::schema;

use super::{Handler, json, parts};

pub(super) const SEEDS: &[&str] = &[
    "{\"type\": \"string\"}\0blue",
    "{\"type\": \"boolean\"}\0Yes",
    "{\"type\": \"object\", \"properties\": {\"approved\": {\"type\": \"boolean\"}, \"comment\": {\"type\": \"string\"}}, \"required\": [\"approved\"]}\0no, too long",
    "{\"enum\": [\"red\", \"blue\", 3]}\x003",
    "{\"type\": \"integer\", \"maximum\": 10}\0 7 ",
    "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}\0[\"a\", \"b\"]",
    "{}\0{\"again\": true}",
];

pub(super) struct AnswerHandler;

impl Handler for AnswerHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        let (schema_text, text) = parts(input);
        let schema = json(&schema_text);
        let choices = answer_choices(&schema).map(|choices| choices.len());
        let answer = parse_answer(&schema, &text);
        let checked = schema::check_answer(&schema, &answer).map_err(|fault| fault.code);
        let decision = parse_decision(&schema, &text, true).is_some();
        let kind = match answer {
            serde_json::Value::String(_) => "text",
            serde_json::Value::Object(_) => "object",
            serde_json::Value::Bool(_) => "yes or no",
            _ => "other",
        };
        Ok(format!("{choices:?} {kind} {checked:?} {decision}"))
    }
}
