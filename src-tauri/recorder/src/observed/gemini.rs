//! Requests of the Gemini API. The model is in the path.

use plait_llm::context::{Role, ToolCall};
use serde_json::{Map, Value};

use super::{ObservedRequest, Said, add_system, limit, others, text_of, tool};

const READ: [&str; 7] = [
    "contents",
    "systemInstruction",
    "system_instruction",
    "tools",
    "generationConfig",
    "generation_config",
    "model",
];
const READ_OF_CONFIG: [&str; 6] = [
    "temperature",
    "maxOutputTokens",
    "responseJsonSchema",
    "responseSchema",
    "responseMimeType",
    "max_output_tokens",
];

pub(super) fn read(body: &Value, path: &str) -> Option<ObservedRequest> {
    let name = path.split('?').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let config =
        body.get("generationConfig").or_else(|| body.get("generation_config")).unwrap_or(&Value::Null);
    let schema = config.get("responseJsonSchema").or_else(|| config.get("responseSchema")).cloned();
    let mut request = ObservedRequest {
        model: name.split(':').next().unwrap_or_default().to_owned(),
        temperature: config["temperature"].as_f64(),
        max_tokens: limit(&config["maxOutputTokens"]),
        response_schema: schema,
        options: others(body, &READ),
        ..ObservedRequest::default()
    };
    let config: Map<String, Value> = others(config, &READ_OF_CONFIG);
    if !config.is_empty() {
        request.options.insert("generationConfig".to_owned(), config.into());
    }
    let system = body.get("systemInstruction").or_else(|| body.get("system_instruction"));
    for part in system.and_then(|system| system["parts"].as_array()).into_iter().flatten() {
        add_system(&mut request.system, text_of(&part["text"]));
    }
    // A result names the function, not the call.
    let mut calls: Vec<ToolCall> = Vec::new();
    for content in body["contents"].as_array()? {
        let role = if content["role"] == "model" { Role::Assistant } else { Role::User };
        let mut said = Said::new(role, "");
        let mut texts = Vec::new();
        for part in content["parts"].as_array().into_iter().flatten() {
            if let Some(function) = part.get("functionCall") {
                let name = function["name"].as_str().unwrap_or_default().to_owned();
                let id =
                    function["id"].as_str().map_or_else(|| format!("{name}-{}", calls.len()), str::to_owned);
                let call = ToolCall { id, name, arguments: function["args"].clone() };
                calls.push(call.clone());
                said.tool_calls.push(call);
            } else if let Some(function) = part.get("functionResponse") {
                let called =
                    calls.iter().position(|call| call.name == function["name"].as_str().unwrap_or_default());
                let id = called.map(|at| calls.remove(at).id).unwrap_or_default();
                let response = &function["response"];
                let text = response.get("output").or_else(|| response.get("result")).unwrap_or(response);
                request.messages.push(Said::result(&id, text_of(text)));
            } else if part["thought"] != true {
                texts.push(part.clone());
            }
        }
        if !texts.is_empty() || !said.tool_calls.is_empty() {
            said.text = text_of(&Value::Array(texts));
            request.messages.push(said);
        }
    }
    let declared = body["tools"].as_array().into_iter().flatten();
    let declared = declared.filter_map(|tool| tool.get("functionDeclarations")?.as_array()).flatten();
    let spec = |one: &Value| {
        let parameters = one.get("parametersJsonSchema").or_else(|| one.get("parameters"));
        let description = one["description"].as_str().unwrap_or_default();
        Some(tool(one["name"].as_str()?, description, parameters.cloned().unwrap_or_default()))
    };
    request.tools = declared.filter_map(spec).collect();
    Some(request)
}
