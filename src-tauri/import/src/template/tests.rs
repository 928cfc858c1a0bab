use serde_json::{Map, json};

use super::TemplateText;
use crate::output::Output;
use crate::template::InputNames;
use plait_core::expression::in_process::InProcess;
use plait_core::expression::template::Template;
use plait_core::id::NodeId;

fn output(port: &str) -> Output {
    Output::new(&NodeId::from("node"), port)
}

/// What a template writes for these values.
#[expect(clippy::needless_pass_by_value, reason = "values are written in place")]
fn render(template: &TemplateText, values: serde_json::Value) -> String {
    let compiled = Template::new(template.source());
    assert_eq!(compiled.problem(), None, "{}", template.source());
    let values: Map<_, _> = values.as_object().cloned().unwrap_or_default();
    futures::executor::block_on(compiled.render(values, &InProcess)).unwrap()
}

#[test]
fn braces_of_literal_text_stay_braces() {
    for text in ["{{name}}", "a { b }", "{{{x}}}", "{{#if a}}b{{/if}}", "{{{{", "{\"a\": {\"b\": 1}}", "}}"] {
        let mut template = TemplateText::default();
        for one in text.chars() {
            template.push_text(&one.to_string());
        }
        let written = render(&template, json!({}));
        assert_eq!(written.replace(' ', ""), text.replace(' ', ""));
    }
}

#[test]
fn values_keep_their_names_apart() {
    let mut template = TemplateText::constant("a ");
    template.push_value("User name", &output("a"), &[]);
    template.push_text(" b ");
    template.push_value("user-name", &output("b"), &["x y".to_owned()]);
    template.push_value("other", &output("a"), &["0".to_owned()]);
    assert_eq!(template.source(), "a {{user_name}} b {{lookup user_name_2 \"x y\"}}{{user_name.[0]}}");
    let values = json!({ "user_name": ["p"], "user_name_2": { "x y": 2 } });
    assert_eq!(render(&template, values), "a [\"p\"] b 2p");
}

#[test]
fn templates_that_are_joined_share_no_name() {
    let mut first = TemplateText::of("x", &output("a"), &[]);
    let second = TemplateText::of("x", &output("b"), &["y".to_owned()]);
    first.push(&second);
    assert_eq!(first.source(), "{{x}}{{x_2.y}}");
}

#[test]
fn templates_that_are_joined_show_their_own_values() {
    let mut all = TemplateText::of("text", &output("c"), &[]);
    let mut other = TemplateText::of("text", &output("a"), &[]);
    other.push_text(" ");
    other.push_value("text_2", &output("b"), &[]);
    all.push(&other);
    assert_eq!(shown(&all), "ca b");
}

#[test]
fn requests_have_placeholders_and_texts_that_are_none() {
    let mut names = InputNames::of_request();
    let mut template = TemplateText::constant("{\"a\": {\"b\": \"{{name}}\", \"c\": \"");
    template.push_value("url", &output("a"), &["b".to_owned()]);
    let written = template.write_request(&mut names).unwrap();
    assert_eq!(written, "{\"a\": {\"b\": \"{ {name}}\", \"c\": \"{{url_2.b}}");
    template.push_value("x", &output("b"), &["two words".to_owned()]);
    assert_eq!(template.write_request(&mut names), None);
}

/// What a template shows if each output has the name of its port.
fn shown(template: &TemplateText) -> String {
    let values = template.inputs().into_iter().map(|(name, output)| (name, output.port.into()));
    render(template, serde_json::Value::Object(values.collect()))
}

#[test]
fn required_value_is_not_written() {
    let mut template = TemplateText::constant("text");
    template.require("branch", &output("a"));
    assert_eq!(render(&template, json!({ "branch": "hidden" })), "text");
    let variables: Vec<_> =
        Template::new(template.source()).variables().iter().map(|variable| variable.optional).collect();
    assert_eq!(variables, [false]);
}
