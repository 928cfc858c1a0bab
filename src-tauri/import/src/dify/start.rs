//! Where a flow of Dify starts: what it asks a person for.

use serde_json::{Map, Value, json};

use super::super::builder::{FlowBuilder, Output, Point};
use super::super::template::TemplateText;
use super::Values;
use plait_core::id::NodeId;

/// What a start became.
pub(super) struct Started {
    pub(super) query: Option<Output>,
    pub(super) values: Values,
    pub(super) end: Output,
}

/// Adds the nodes that take what a person enters: a text, a form, or both.
pub(super) fn add_start(
    builder: &mut FlowBuilder,
    (id, title, at): (&str, &str, Point),
    variables: &[Value],
    is_chat: bool,
) -> Started {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut defaults = Map::new();
    let mut only_text = None;
    for variable in variables {
        let text = |key: &str| variable.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = text("variable");
        if name.is_empty() {
            continue;
        }
        let label = if text("label").is_empty() { name } else { text("label") };
        let options =
            variable.get("options").filter(|options| options.as_array().is_some_and(|list| !list.is_empty()));
        let schema = match text("type") {
            "number" => json!({ "type": "number", "title": label }),
            "checkbox" => json!({ "type": "boolean", "title": label }),
            "select" if options.is_some() => json!({ "type": "string", "title": label, "enum": options }),
            "file" | "file-list" => {
                builder
                    .lose(id, format!("Its file `{name}`: attach files to a question with `attachments`."));
                json!({ "title": label })
            }
            _ => {
                only_text = Some(name);
                json!({ "type": "string", "title": label })
            }
        };
        if variable.get("required").and_then(Value::as_bool) == Some(true) {
            required.push(name.to_owned());
        } else if let Some(default) =
            variable.get("default").filter(|default| !default.is_null() && **default != "")
        {
            defaults.insert(name.to_owned(), default.clone());
        }
        properties.insert(name.to_owned(), schema);
    }
    let is_one_text = !is_chat && properties.len() == 1 && only_text.is_some();
    let needs_text = is_chat || properties.is_empty() || is_one_text;
    let query = needs_text.then(|| {
        let start = builder.add(id, title, "manualInput", json!({}), at);
        Output::new(&start, "value")
    });
    if let (Some(query), true, Some(name)) = (&query, is_one_text, only_text) {
        return Started { query: None, values: Values::one(name, query.clone()), end: query.clone() };
    }
    if properties.is_empty() {
        let end = query.clone().unwrap_or_else(|| Output::new(&NodeId::from(id), "value"));
        return Started { query, values: Values::default(), end };
    }
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let prompt = TemplateText::constant(&format!("Please fill in what “{}” needs.", builder.name()));
    let config = json!({ "prompt": prompt.source(), "schema": schema });
    let form_title = if needs_text { format!("{title}: form") } else { title.to_owned() };
    let form =
        builder.add(id, &form_title, "userInput", config, at.beside(0.0, if needs_text { 1.0 } else { 0.0 }));
    let mut message = Output::new(&form, "message");
    if !defaults.is_empty() {
        let query = format!("{} + with_entries(select(.value != null))", Value::from(defaults));
        let place = at.beside(0.5, 1.0);
        let filled =
            builder.add(id, &format!("{form_title}: defaults"), "json", json!({ "query": query }), place);
        builder.connect(&message, &filled, "value");
        message = Output::new(&filled, "result");
    }
    Started { query, values: Values::object(message.clone()), end: message }
}
