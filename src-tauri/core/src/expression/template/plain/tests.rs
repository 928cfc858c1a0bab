use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::PlainTemplate;
use crate::expression::template::{parse, pieces, render};

/// What the engine makes of a template: its variables, and its text with pieces.
fn by_engine(source: &str, values: &Map<String, Value>) -> Option<(Vec<String>, pieces::Rendered)> {
    let (template, variables) = parse(source).ok()?;
    let rendered = pieces::record(|| render::render(&template, Value::Object(values.clone()))).ok()?;
    Some((variables.into_iter().map(|variable| variable.name).collect(), rendered))
}

fn by_parts(source: &str, values: &Map<String, Value>) -> Option<(Vec<String>, pieces::Rendered)> {
    let (template, variables) = PlainTemplate::read(source)?;
    let rendered = pieces::record(|| template.render(source, &variables, values).ok_or(())).ok()?;
    Some((variables.into_iter().map(|variable| variable.name).collect(), rendered))
}

fn values() -> Map<String, Value> {
    let values = json!({
        "a": "text {{b}}", "b": 2.5, "_c1": null, "len": ["x", 1], "hitl_history": { "k": "" }, "aside": "", "elsewhere": "e",
        "this": "t", "true": "t", "as": "t", "null": "n",
    });
    values.as_object().cloned().unwrap_or_default()
}

#[test]
fn plain_templates_are_read() {
    for source in
        ["", "text", "{{a}}", "{{ a }}\n{{b}} { } {{a}}", "{{!-- 7 --}}{{a}}", "x {{!----}}{{\tlen\n}}\n"]
    {
        assert_eq!(by_parts(source, &values()), by_engine(source, &values()), "{source}");
        assert!(by_parts(source, &values()).is_some(), "{source}");
    }
}

#[test]
fn everything_else_is_left_to_the_engine() {
    for source in [
        "{{a.b}}",
        "{{#if a}}x{{/if}}",
        "{{{a}}}",
        "{{&a}}",
        "{{~a}}",
        "{{a b}}",
        "{{elsewhere}}",
        "{{else}}",
        "{{this}}",
        "{{a}}}",
        "\\{{a}}",
        "{{a",
        "}}",
        "{{a}} }}",
        "{{! c }}x",
        "{{!-- c --}}",
        "{{!-- c --}}\n{{a}}",
        "{{!-- c --}} {{a}}",
        "{{1}}",
        "{{}}",
        "{{> a}}",
        "{{\"a\"}}",
        "{{a-b}}",
        "{{ä}}",
    ] {
        assert_eq!(PlainTemplate::read(source), None, "{source}");
    }
}

#[test]
fn missing_value_is_left_to_the_engine() {
    assert_eq!(by_parts("{{a}}{{missing}}", &values()), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// What is read here is rendered as the engine renders it, piece by piece.
    #[test]
    fn plain_template_is_the_engines(
        source in "(\\{\\{|\\}\\}|\\{|\\}|\\{\\{!--|--\\}\\}|[ \\t\\r\\n]|a|b|_c1|len|this|else|where|true|as|ide|null|\\{\\{a\\}\\}|\\{\\{ len \\}\\}|\\{\\{!-- x --\\}\\}|\\\\|ä|\u{a0}){0,12}"
    ) {
        if let Some(found) = by_parts(&source, &values()) {
            prop_assert_eq!(Some(found), by_engine(&source, &values()));
        }
    }
}
