//! Keys are sent to their server and redacted from everything that comes back.

use plait_adapters::keys::{KeyRetention, KeyStore};
use plait_adapters::providers::{ProviderKind, ProviderRegistry};
use plait_llm::provider::{Chunk, Providers as _};
use secrecy::SecretString;
use serde_json::json;

use crate::server::{Answer, Server, Step, call, request};

const KEY: &str = "sk-proj-THIS-IS-NOT-TO-BE-SEEN-0123456789";

/// Everything that a provider with the key makes of an answer, as text.
async fn call_and_format(kind: ProviderKind, answer: Answer) -> String {
    let server = Server::with_answers([answer]).await;
    let home = tempfile::tempdir().expect("folder");
    let keys = KeyStore::in_file(home.path(), None);
    let settings = server.settings(kind);
    let owner = settings.key_owner("test");
    keys.set(&owner, &SecretString::from(KEY), KeyRetention::Stored).await.expect("kept");
    let table = ProviderRegistry::with_keys(&[("test".to_owned(), settings)].into(), &keys).expect("made");
    let provider = table.get("test").expect("there");
    let (outcome, chunks) = call(&*provider, request()).await;
    let (header, prefix) = match kind {
        ProviderKind::Anthropic => ("x-api-key", ""),
        _ => ("authorization", "Bearer "),
    };
    assert_eq!(server.received()[0].headers[header], format!("{prefix}{KEY}"), "it was sent");
    let chunk_text: String = chunks
        .into_iter()
        .map(|chunk| match chunk {
            Chunk::Text(text) | Chunk::Reasoning(text) => text,
        })
        .collect();
    format!("{outcome:?} {chunk_text} {:?}", provider.models().await)
}

#[tokio::test]
async fn echoed_keys_are_redacted() {
    let echo = format!("Authorization: Bearer {KEY} is wrong");
    let long = format!("{}{KEY}", "x".repeat(470));
    let event = |value: serde_json::Value| Answer::stream(format!("data: {value}\n\ndata: [DONE]\n\n"));
    let chunks_of_key: Vec<_> = KEY
        .as_bytes()
        .chunks(7)
        .map(|part| {
            let text = String::from_utf8_lossy(part);
            let delta = json!({"choices": [{"index": 0, "delta": {"content": text, "reasoning": text}}]});
            Step::Send(format!("data: {delta}\n\n").into())
        })
        .chain([Step::Send(
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
                .into(),
        )])
        .collect();
    let calls = json!([{"index": 0, "id": KEY, "function": {"name": KEY, "arguments": json!({KEY: KEY}).to_string()}}]);
    for (which, answer) in [
        ("a status", Answer::json(401, &json!({"error": {"message": echo, "code": KEY}}).to_string())),
        ("a status that is cut short", Answer::json(401, &json!({"error": long}).to_string())),
        ("a status of plain text", Answer::json(500, &echo)),
        ("an error in a stream", event(json!({"error": {"message": echo}}))),
        ("a redirect", Answer::json(302, "").header("location", &format!("http://else/?key={KEY}"))),
        ("no JSON", Answer::stream(format!("data: {echo}\n\n"))),
        ("a reply", Answer::events(chunks_of_key)),
        (
            "the id of a reply",
            event(
                json!({"id": KEY, "choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}]}),
            ),
        ),
        ("a list of models", Answer::json(200, &json!({"data": [{"id": KEY}]}).to_string())),
        (
            "a tool call",
            event(
                json!({"choices": [{"index": 0, "delta": {"tool_calls": calls}, "finish_reason": "tool_calls"}]}),
            ),
        ),
        (
            "an unheard-of end",
            event(json!({"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": KEY}]})),
        ),
    ] {
        let all = call_and_format(ProviderKind::OpenAi, answer).await;
        assert!(!all.contains(&KEY[..16]), "{which}: {all}");
        assert!(all.contains("[key of test]"), "{which}: the key is replaced by its name: {all}");
    }
    // State that is sent back to a provider with its reply.
    let content = json!([
        {"type": "thinking", "thinking": "Hm.", "signature": KEY},
        {"type": "tool_use", "id": "a", "name": "f", "input": {}},
    ]);
    let whole = json!({"type": "message", "content": content, "stop_reason": "tool_use"});
    let all = call_and_format(ProviderKind::Anthropic, Answer::json(200, &whole.to_string())).await;
    assert!(all.contains(r#""signature": String("[key of test]")"#) && !all.contains(&KEY[..16]), "{all}");
}

/// A server may not need a key, so an unreadable key does not prevent the request. If the server rejects it, the
/// unreadable key is the reported cause.
#[tokio::test]
async fn unreadable_key_is_reported_only_if_needed() {
    let home = tempfile::tempdir().expect("folder");
    std::fs::write(home.path().join("keys.sealed"), "not sealed").expect("written");
    for (status, code) in [(401, "keys.damaged"), (403, "keys.damaged"), (500, "provider.server_error")] {
        let server = Server::with_answers([Answer::json(status, "{}")]).await;
        let settings = [("test".to_owned(), server.settings(ProviderKind::OpenAi))].into();
        let keys = KeyStore::in_file(home.path(), None);
        let table = ProviderRegistry::with_keys(&settings, &keys).expect("made");
        let provider = table.get("test").expect("there");
        assert_eq!(call(&*provider, request()).await.0.expect_err("a fault").code, code);
        assert_eq!(server.received().len(), 1, "the request was sent");
    }
}
