//! Model servers on this machine are detected and identified; other servers are ignored.

use std::collections::BTreeMap;

use plait_adapters::providers::{DetectedServer, ProviderKind, ProviderSettings, detect};

use crate::server::{Answer, Server};

/// The detected servers if one gives this answer to every request, and its origin.
async fn detect_server(answer: Answer) -> (Vec<DetectedServer>, String) {
    let server = Server::with_answers([answer]).await;
    let origin = server.origin.clone();
    let settings = ProviderSettings {
        base_url: Some(origin.replace("127.0.0.1", "localhost") + "/anything"),
        ..ProviderSettings::of(ProviderKind::OpenAi)
    };
    let known = BTreeMap::from([("mine".to_owned(), settings)]);
    // Nothing else is probed on this machine.
    let found = detect(&known, []).await;
    assert!(found.iter().all(|server| server.providers == ["mine"]), "{found:?}");
    let received = server.received();
    assert!(received.iter().all(|received| !received.headers.contains_key("authorization")));
    (found, origin)
}

fn models(owner: &str) -> Answer {
    let list =
        serde_json::json!({ "data": [{ "id": "b", "owned_by": owner }, { "id": "a", "owned_by": owner }] });
    Answer::json(200, &list.to_string())
}

#[tokio::test]
async fn servers_are_distinguished_by_their_replies() {
    for (owner, software, name) in [
        ("llamacpp", "llama.cpp", "llamacpp"),
        ("vllm", "vLLM", "vllm"),
        ("organization_owner", "LM Studio", "lmstudio"),
        ("somebody", "OpenAI-compatible server", "local"),
    ] {
        let (found, origin) = detect_server(models(owner)).await;
        assert_eq!(found.len(), 1, "{owner}");
        assert_eq!((found[0].software.as_str(), found[0].suggested_name.as_str()), (software, name));
        assert_eq!(found[0].models, ["a", "b"]);
        let base_url = found[0].settings.base_url.as_deref().expect("set");
        assert_eq!(base_url.replace("localhost", "127.0.0.1"), format!("{origin}/v1"));
    }
    let (found, _) = detect_server(Answer::json(200, r#"{"models": [{"name": "llama3.2:1b"}]}"#)).await;
    assert_eq!(
        (found[0].software.as_str(), found[0].models.as_slice()),
        ("Ollama", ["llama3.2:1b".to_owned()].as_slice())
    );
}

#[tokio::test]
async fn other_servers_are_ignored() {
    for answer in [
        Answer::json(200, "<html>"),
        Answer::json(200, r#"{"data": "none"}"#),
        Answer::json(404, r#"{"data": []}"#),
        Answer::json(200, &format!("[\"{}\"]", "x".repeat(2 << 20))),
        Answer::json(302, "").header("location", "http://127.0.0.1:9/"),
    ] {
        assert_eq!(detect_server(answer).await.0, []);
    }
}
