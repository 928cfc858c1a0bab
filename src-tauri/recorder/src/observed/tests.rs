use serde_json::json;

use super::*;
use crate::conversation::conversations;

/// A call with a whole response, read as the program had made it.
async fn call(path: &str, request: &Value, response: &Value) -> ObservedCall {
    answered(path, request, 200, "application/json", &[response.to_string().as_bytes()]).await
}

async fn answered(
    path: &str,
    request: &Value,
    status: u16,
    media_type: &str,
    chunks: &[&[u8]],
) -> ObservedCall {
    let exchange = Exchange {
        upstream: "openai".to_owned(),
        base_url: "http://127.0.0.1:1/v1".to_owned(),
        method: "POST".to_owned(),
        path: path.to_owned(),
        body: request.to_string().into_bytes(),
        begun_ms: 100,
        status,
        content_type: media_type.to_owned(),
        chunks: (1..)
            .map(|number| 100 + 10 * number)
            .zip(chunks.iter().map(|chunk| chunk.to_vec()))
            .collect(),
        ended_ms: Some(200),
        failure: None,
    };
    let provider = |kind, base_url: &str| {
        let settings = ProviderSettings { base_url: Some(base_url.to_owned()), ..ProviderSettings::of(kind) };
        ("test".to_owned(), settings)
    };
    read_call(&exchange, provider).await.unwrap()
}

/// What each protocol has to say of the same call: instructions, a question, a call of a tool with its result.
fn check(call: &ObservedCall) {
    let request = &call.request;
    assert_eq!((request.model.as_str(), request.system.as_deref()), ("m", Some("Be brief.")));
    assert_eq!((request.temperature, request.max_tokens), (Some(0.5), Some(100)));
    assert_eq!(request.tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["add"]);
    assert_eq!(request.tools[0].parameters["type"], "object");
    let roles: Vec<Role> = request.messages.iter().map(|said| said.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool]);
    assert_eq!(request.messages[0].text, "1 + 2?");
    let called = &request.messages[1].tool_calls[0];
    assert_eq!((&*called.name, &called.arguments), ("add", &json!({ "a": 1 })));
    assert_eq!(request.messages[2].tool_call_id.as_deref(), Some(&*called.id));
    assert_eq!(request.messages[2].text, "3");
    assert_eq!(request.options, *json!({ "extra": 1 }).as_object().unwrap());
    let reply = call.reply().unwrap();
    assert_eq!((&*reply.text, reply.usage.unwrap().input), ("It is 3.", 7));
}

fn parameters() -> Value {
    json!({ "type": "object", "properties": { "a": { "type": "number" } } })
}

#[tokio::test]
async fn chat_completions_are_read() {
    let tool_call =
        json!({ "id": "c", "type": "function", "function": { "name": "add", "arguments": "{\"a\":1}" } });
    let request = json!({ "model": "m", "temperature": 0.5, "max_completion_tokens": 100, "extra": 1, "stop": null, "messages": [
        { "role": "developer", "content": "Be brief." },
        { "role": "user", "content": [{ "type": "text", "text": "1 + 2?" }] },
        { "role": "assistant", "content": null, "tool_calls": [tool_call] },
        { "role": "tool", "tool_call_id": "c", "content": "3" },
    ], "tools": [{ "type": "function", "function": { "name": "add", "parameters": parameters() } }] });
    let response = json!({ "choices": [{ "message": { "content": "It is 3." }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 7, "completion_tokens": 4 } });
    check(&call("/chat/completions", &request, &response).await);
}

#[tokio::test]
async fn responses_are_read() {
    let request = json!({ "model": "m", "instructions": "Be brief.", "temperature": 0.5, "max_output_tokens": 100, "extra": 1, "input": [
        { "role": "user", "content": "1 + 2?" },
        { "type": "reasoning", "summary": [] },
        { "type": "function_call", "call_id": "c", "name": "add", "arguments": "{\"a\":1}" },
        { "type": "function_call_output", "call_id": "c", "output": "3" },
    ], "tools": [{ "type": "function", "name": "add", "parameters": parameters() }, { "type": "web_search" }] });
    let text = json!({ "type": "output_text", "text": "It is 3." });
    let response = json!({ "object": "response", "id": "r", "status": "completed",
        "output": [{ "type": "message", "content": [text] }], "usage": { "input_tokens": 7, "output_tokens": 4 } });
    check(&call("/responses", &request, &response).await);
}

#[tokio::test]
async fn messages_are_read() {
    let request = json!({ "model": "m", "max_tokens": 100, "temperature": 0.5, "extra": 1,
        "system": [{ "type": "text", "text": "Be brief." }], "messages": [
        { "role": "user", "content": "1 + 2?" },
        { "role": "assistant", "content": [{ "type": "thinking", "thinking": "hm" },
            { "type": "tool_use", "id": "c", "name": "add", "input": { "a": 1 } }] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "content": [{ "type": "text", "text": "3" }] }] },
    ], "tools": [{ "name": "add", "input_schema": parameters() }] });
    let events = [
        json!({ "type": "message_start", "message": { "id": "m", "usage": { "input_tokens": 7, "output_tokens": 1 } } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "It is " } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "3." } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 4 } }),
        json!({ "type": "message_stop" }),
    ];
    let text =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()).into_bytes();
    let chunks: Vec<Vec<u8>> = events.iter().map(text).collect();
    let chunks: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
    let call = answered("/v1/messages", &request, 200, "text/event-stream", &chunks).await;
    check(&call);
    let parts = call.pace.parts(call.reply().unwrap());
    let waits: Vec<u128> = parts.iter().map(|(wait, _)| wait.as_millis()).collect();
    assert_eq!(waits, [30, 10], "each part has the time of the chunk that it came with");
}

#[tokio::test]
async fn contents_of_gemini_are_read() {
    let request = json!({ "systemInstruction": { "parts": [{ "text": "Be brief." }] }, "extra": 1,
        "generationConfig": { "temperature": 0.5, "maxOutputTokens": 100 }, "contents": [
        { "role": "user", "parts": [{ "text": "1 + 2?" }] },
        { "role": "model", "parts": [{ "text": "hm", "thought": true }, { "functionCall": { "name": "add", "args": { "a": 1 } } }] },
        { "role": "user", "parts": [{ "functionResponse": { "name": "add", "response": { "output": "3" } } }] },
    ], "tools": [{ "functionDeclarations": [{ "name": "add", "parameters": parameters() }] }] });
    let response = json!({ "candidates": [{ "content": { "parts": [{ "text": "It is 3." }] }, "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": 7, "candidatesTokenCount": 4 } });
    check(&call("/v1beta/models/m:generateContent", &request, &response).await);
}

#[tokio::test]
async fn chats_of_ollama_are_read() {
    let request = json!({ "model": "m", "extra": 1, "options": { "temperature": 0.5, "num_predict": 100 }, "messages": [
        { "role": "system", "content": "Be brief." },
        { "role": "user", "content": "1 + 2?" },
        { "role": "assistant", "content": "", "tool_calls": [{ "function": { "name": "add", "arguments": { "a": 1 } } }] },
        { "role": "tool", "tool_name": "add", "content": "3" },
    ], "tools": [{ "type": "function", "function": { "name": "add", "parameters": parameters() } }] });
    let response = json!({ "message": { "role": "assistant", "content": "It is 3." }, "done": true, "done_reason": "stop",
        "prompt_eval_count": 7, "eval_count": 4 });
    check(&call("/api/chat", &request, &response).await);
}

#[tokio::test]
async fn errors_of_servers_are_faults_of_the_call() {
    let request = json!({ "model": "m", "messages": [] });
    let body = json!({ "error": { "message": "No more" } }).to_string();
    let call = answered("/chat/completions", &request, 429, "application/json", &[body.as_bytes()]).await;
    let Outcome::Failed(fault) = &call.outcome else { panic!("it failed: {call:#?}") };
    assert_eq!(fault.code, codes::PROVIDER_RATE_LIMITED);
}

#[tokio::test]
async fn a_reply_that_the_server_stored_is_part_of_the_conversation() {
    let response = |id: &str, text: &str| {
        let part = json!({ "type": "output_text", "text": text });
        json!({ "object": "response", "id": id, "status": "completed", "output": [{ "type": "message", "content": [part] }] })
    };
    let first = call("/responses", &json!({ "model": "m", "input": "One" }), &response("r1", "First")).await;
    let next = json!({ "model": "m", "input": "Two", "previous_response_id": "r1" });
    let second = call("/responses", &next, &response("r2", "Second")).await;
    let mut calls = [first, ObservedCall { begun_ms: 300, ended_ms: 400, ..second }];
    let found = conversations(&mut calls);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].turns.iter().map(|turn| &*turn.message).collect::<Vec<_>>(), ["One", "Two"]);
}
