//! JSON Schemas, as flows set them for questions and structured replies. An input is the schema and, after a zero byte, a
//! value to check.

use plait_core::expression::schema;

use super::{Handler, gist, json, parts};

pub(super) const SEEDS: &[&str] = &[
    "{\"type\": \"string\", \"minLength\": 1, \"pattern\": \"^a+$\"}\0\"aaa\"",
    "{\"type\": \"object\", \"properties\": {\"approved\": {\"type\": \"boolean\"}, \"comment\": {\"type\": \"string\"}}, \"required\": [\"approved\"]}\0{\"approved\": true}",
    "{\"type\": \"array\", \"items\": {\"type\": \"integer\", \"minimum\": 0}, \"uniqueItems\": true}\0[1, 2, 3]",
    "{\"allOf\": [{\"type\": \"object\"}, {\"not\": {\"required\": [\"x\"]}}], \"additionalProperties\": false}\0{\"y\": 1}",
    "{\"$defs\": {\"tree\": {\"type\": \"object\", \"properties\": {\"left\": {\"$ref\": \"#/$defs/tree\"}, \"right\": {\"$ref\": \"#/$defs/tree\"}}}}, \"$ref\": \"#/$defs/tree\"}\0{\"left\": {\"right\": {}}}",
    "{\"oneOf\": [{\"const\": 1}, {\"enum\": [\"a\", null]}], \"if\": {\"type\": \"number\"}, \"then\": {\"multipleOf\": 0.5}}\x001",
    "{\"patternProperties\": {\"^s_\": {\"type\": \"string\", \"format\": \"date-time\"}}, \"propertyNames\": {\"maxLength\": 9}}\0{\"s_a\": \"x\"}",
    "{\"$dynamicRef\": \"#a\", \"$dynamicAnchor\": \"a\", \"unevaluatedProperties\": false, \"dependentSchemas\": {\"a\": {\"anyOf\": [true]}}}\0{\"a\": 1}",
];

pub(super) const WORDS: &[&str] = &[
    "\"type\":",
    "\"properties\":",
    "\"required\":",
    "\"items\":",
    "\"prefixItems\":",
    "\"allOf\":",
    "\"anyOf\":",
    "\"oneOf\":",
    "\"not\":",
    "\"$ref\":\"#\"",
    "\"$defs\":",
    "\"pattern\":\"(a|a)*b\"",
    "\"pattern\":\"(?=x){1000}\"",
    "\"patternProperties\":",
    "\"additionalProperties\":",
    "\"unevaluatedItems\":",
    "\"$dynamicRef\":\"#a\"",
    "\"contains\":",
    "\"multipleOf\":1e-300",
    "\"format\":\"regex\"",
    "\"enum\":",
    "\"const\":",
    "yes",
    "no, because",
];

pub(super) struct SchemaHandler;

impl Handler for SchemaHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        let (text, value) = parts(input);
        let (schema, value) = (json(&text), json(&value));
        let problem = schema::check_schema(&schema);
        let compiled = schema::compile(&schema).is_ok();
        assert_eq!(problem.is_none(), compiled, "a schema without a problem compiles");
        let accepted = schema::accepts(&schema, &value);
        let checked = schema::check_answer(&schema, &value).map_err(|fault| gist(&fault.message));
        Ok(format!("{:?} {accepted} {checked:?}", problem.as_deref().map(gist)))
    }
}
