//! Addresses for other systems: what they send begins a run, once for each delivery.

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use crate::process::{Data, Host, ask_flow, chat_flow};
use crate::server::{ModelServer, ServerReply, last_message_text};

async fn send(host: &Host<'_>, token: &str, delivery: Option<&str>, body: &str) -> (StatusCode, Value) {
    let mut request = Client::new().post(format!("{}/hooks/{token}", host.url)).body(body.to_owned());
    if let Some(delivery) = delivery {
        request = request.header("webhook-id", delivery);
    }
    crate::process::read(request.send().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_system_sends_begins_a_run_once() {
    let model = ModelServer::start(|request, _| ServerReply::Text(last_message_text(request))).await;
    let data = Data::new();
    data.flow("help.flow.json", &chat_flow());
    let host = data.serve();
    host.set_provider(&model.url).await;
    host.publish(&["help"]).await;
    let token = data.execute(&["tokens", "add", "--name", "shop", "--hook", "help"]);
    let (status, begun) = send(&host, &token, Some("1"), "{\"order\": 7}").await;
    assert_eq!((status.as_u16(), &begun["status"]), (202, &json!("running")), "{begun}");
    let path = format!("/runs/{}?wait=60", begun["run"].as_str().unwrap());
    assert_eq!(host.get("viewer", &path).await.1["outputs"]["chat"]["response"], "{\"order\": 7}");
    // The same delivery again.
    assert_eq!(send(&host, &token, Some("1"), "{\"order\": 7}").await.1["run"], begun["run"]);
    assert_ne!(send(&host, &token, Some("2"), "{\"order\": 8}").await.1["run"], begun["run"]);
    // Without a delivery's id, each is a new one.
    let (one, other) = (send(&host, &token, None, "x").await.1, send(&host, &token, None, "x").await.1);
    assert_ne!(one["run"], other["run"]);
    // The audit log has no token.
    let log = std::fs::read_to_string(data.path().join("host/audit.jsonl")).unwrap();
    assert!(log.contains("\"path\":\"/hooks/…\"") && !log.contains(&token), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn token_of_an_address_opens_nothing_else() {
    let data = Data::new();
    data.flow("ask.flow.json", &ask_flow());
    let host = data.serve();
    host.publish(&["ask"]).await;
    let token = data.execute(&["tokens", "add", "--name", "shop", "--hook", "ask"]);
    for path in ["/runs", "/v1/models"] {
        let response =
            Client::new().get(format!("{}{path}", host.url)).bearer_auth(&token).send().await.unwrap();
        assert_eq!(response.status(), 403, "{path}");
    }
    let (status, error) = send(&host, data.token("runner"), None, "").await;
    assert_eq!((status.as_u16(), &error["error"]["code"]), (403, &json!("host.forbidden")), "{error}");
    assert_eq!(send(&host, "plait_guess_guess", None, "").await.0, 401);
    assert_eq!(send(&host, &token, None, "").await.0, 202);
    // A flow that is served no longer, and a token that was revoked.
    data.execute(&["unpublish", "ask"]);
    assert_eq!(send(&host, &token, None, "").await.0, 404);
    data.execute(&["tokens", "revoke", "shop"]);
    assert_eq!(send(&host, &token, None, "").await.0, 401);
}
