//! What of an app of Dify stands outside of its graph, and simple apps, which have none.

use serde_json::{Value, json};

use super::super::builder::{FlowBuilder, Output, Point};
use super::super::chat_call::{ChatCall, Memory};
use super::super::settings::Settings;
use super::super::template::TemplateText;
use super::models::read_model;
use super::start::add_start;

/// The id of the only node in the report of a simple app.
pub(super) const APP: &str = "app";

/// Says what of an app's features is lost.
pub(super) fn note_features(builder: &mut FlowBuilder, document: &Value) {
    let Some(features) = document.pointer("/workflow/features").and_then(Value::as_object) else { return };
    if let Some(opening) =
        features.get("opening_statement").and_then(Value::as_str).filter(|text| !text.is_empty())
    {
        let short: String = opening.chars().take(200).collect();
        builder.note(format!("The opening statement was left out: “{short}”."));
    }
    for (name, feature) in features {
        if feature.get("enabled").and_then(Value::as_bool) == Some(true) {
            builder.note(format!("The feature `{name}` has no equivalent."));
        }
    }
}

/// The text of a note, which Dify stores as a tree.
pub(super) fn note_text(text: &str) -> String {
    fn collect(value: &Value, text: &mut String) {
        if let Some(own) = value.get("text").and_then(Value::as_str) {
            text.push_str(own);
        }
        for child in value.get("children").and_then(Value::as_array).into_iter().flatten() {
            collect(child, text);
        }
        if value
            .get("type")
            .is_some_and(|kind| kind == "paragraph" || kind == "listitem" || kind == "heading")
        {
            text.push_str("\n\n");
        }
    }
    let Ok(tree) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    let mut plain = String::new();
    collect(tree.get("root").unwrap_or(&tree), &mut plain);
    plain.trim().to_owned()
}

/// Reads an app that is a prompt with settings: a chat, an agent, or a text generator.
pub(super) fn read_simple(builder: &mut FlowBuilder, mode: &str, config: &Value) {
    let title = builder.name().to_owned();
    builder.register(APP, &title, mode);
    let settings = Settings::new(config);
    let is_chat = mode != "completion";
    // Each field is an object with its kind as the only key.
    let fields: Vec<Value> = settings
        .items("/user_input_form")
        .iter()
        .filter_map(|field| {
            let (kind, field) = field.as_object()?.iter().next()?;
            let mut field = field.as_object()?.clone();
            field.insert("type".to_owned(), kind.as_str().into());
            Some(Value::Object(field))
        })
        .collect();
    let start = Point { x: 0.0, y: 0.0 };
    let started = add_start(builder, (APP, "Start", start), &fields, is_chat);
    let mut prompt = TemplateText::default();
    let mut rest = settings.text("/pre_prompt").unwrap_or_default();
    while let Some(open) = rest.find("{{") {
        let Some(length) = rest[open..].find("}}") else { break };
        prompt.push_text(&rest[..open]);
        let name = rest[open + 2..open + length].trim().trim_matches('#');
        let named = started.values.named.get(name).map(|(output, path)| (output.clone(), path.clone()));
        let object = started.values.object.clone().map(|output| (output, vec![name.to_owned()]));
        let is_field = fields.iter().any(|field| field["variable"] == name);
        if let Some((output, path)) = named.or(object).filter(|_| is_field) {
            prompt.push_value(name, &output, &path);
        } else {
            prompt.push_text(&rest[open..open + length + 2]);
            builder.lose(APP, format!("The variable `{name}` was kept as text."));
        }
        rest = &rest[open + length + 2..];
    }
    prompt.push_text(rest);
    let model = read_model(&settings, "/model");
    let mut call = ChatCall { model, ..ChatCall::default() };
    for lost in std::mem::take(&mut call.model.lost) {
        builder.lose(APP, lost);
    }
    if is_chat {
        call.system = Some(prompt).filter(|prompt| !prompt.is_blank());
        call.prompt = started.query.as_ref().map(|query| TemplateText::of("query", query, &[]));
        call.memory = Some(Memory::default());
    } else {
        call.prompt = Some(prompt);
    }
    let mut tools = Vec::new();
    for tool in settings.items("/agent_mode/tools") {
        let name = tool.get("tool_name").and_then(Value::as_str).unwrap_or("a data set");
        if tool.get("enabled").and_then(Value::as_bool) == Some(false) {
            continue;
        }
        if name == "current_time" {
            let id =
                builder.add(APP, name, "tools", json!({ "tools": ["current_time"] }), start.beside(1.0, 1.0));
            tools.push(Output::new(&id, "tools"));
            continue;
        }
        let reason = "A tool of Dify. An HTTP tool or an MCP server can do the same.";
        let id = builder.add_placeholder(APP, name, reason, tool, start.beside(1.0, 1.0));
        tools.push(Output::new(&id, "tools"));
    }
    call.tools = tools;
    let done = call.add_to(builder, APP, &title, start.beside(2.0, 0.0));
    let output = builder.add(APP, "Answer", "output", json!({}), start.beside(3.0, 0.0));
    builder.connect(&done.response(), &output, "value");
    if let Some(datasets) = settings.get("/dataset_configs/datasets/datasets").and_then(Value::as_array)
        && !datasets.is_empty()
    {
        builder.lose(APP, "Its knowledge: set `knowledge` of the chat to a knowledge base.");
    }
    settings.ignore_all(&[
        "/agent_mode",
        "/dataset_configs",
        "/chat_prompt_config",
        "/completion_prompt_config",
        "/prompt_type",
        "/file_upload",
        "/annotation_reply",
        "/dataset_query_variable",
    ]);
    if let Some(unread) = settings.unread() {
        builder.lose(APP, unread);
    }
}
