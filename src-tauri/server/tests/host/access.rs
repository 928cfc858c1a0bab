//! Who is let in, to what, and what is written down of it.

use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::process::{Data, chat_flow};

#[tokio::test]
async fn requests_without_a_valid_token_are_refused() {
    let data = Data::new();
    let host = data.serve();
    let send = async |token: Option<&str>| {
        let request = Client::new().get(format!("{}/v1/models", host.url));
        let request = match token {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        let sent = request.send().await.unwrap();
        (sent.status().as_u16(), sent.headers().contains_key("www-authenticate"))
    };
    assert_eq!(send(None).await, (401, true));
    assert_eq!(send(Some("plait_guess_guess")).await, (401, true));
    assert_eq!(send(Some(data.token("viewer"))).await, (200, false));

    // Without a restart.
    let late = data.execute(&["tokens", "add", "--name", "late", "--role", "viewer", "--expires", "1s"]);
    data.execute(&["tokens", "revoke", "viewer"]);
    assert_eq!(send(Some(data.token("viewer"))).await, (401, true));
    while send(Some(&late)).await.0 == 200 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(send(Some(&late)).await, (401, true));
    let listed = data.execute(&["tokens", "list"]);
    assert!(listed.contains("late\tviewer\t") && listed.contains("\texpired"), "{listed}");

    let refused = data.audit().into_iter().filter(|entry| entry["status"] == 401).collect::<Vec<_>>();
    assert!(refused.len() >= 4, "{refused:?}");
    assert!(refused.iter().all(|entry| entry["code"] == "host.unauthorized" && entry["token"].is_null()));
}

#[tokio::test]
async fn streams_end_when_their_token_is_revoked() {
    let data = Data::new();
    let host = data.serve();
    let stream = host.request("viewer", Method::GET, "/runs/changes").send().await.unwrap();
    data.execute(&["tokens", "revoke", "viewer"]);
    // It would go on until the host ends.
    let events = crate::process::events(stream).await;
    assert!(!events.is_empty() && events.iter().all(|(name, ..)| name == "changed"), "{events:?}");
}

#[tokio::test]
async fn role_decides_which_commands_are_executed() {
    let data = Data::new();
    data.flow("chat.flow.json", &chat_flow());
    let host = data.serve();
    let status = async |role: &str, command: &str, args: Value| {
        let (status, body) = host.post(role, &format!("/commands/{command}"), args).await;
        (status.as_u16(), body["error"]["code"].as_str().unwrap_or_default().to_owned())
    };
    let refused = |code: &str| (403, code.to_owned());
    let served = (200, String::new());
    assert_eq!(status("viewer", "runs.list", json!({})).await, served);
    assert_eq!(status("viewer", "flow.read", json!({ "path": "chat.flow.json" })).await, served);
    let publish = json!({ "name": "help", "path": "chat.flow.json" });
    assert_eq!(status("runner", "published.publish", publish.clone()).await, refused("host.forbidden"));
    assert_eq!(status("editor", "published.publish", publish).await, served);
    assert_eq!(
        status("runner", "run.start", json!({ "flow": chat_flow() })).await,
        refused("host.forbidden")
    );
    assert_eq!(status("editor", "settings.get", json!({})).await, refused("host.forbidden"));
    let with_grants = json!({ "flow": chat_flow(), "grants": [{}] });
    assert_eq!(status("editor", "run.start", with_grants).await, refused("host.forbidden"));
    assert_eq!(status("admin", "dialog.open", json!({})).await, refused("host.not_served"));
    let outside = json!({ "path": "../host/tokens.json" });
    assert_eq!(status("admin", "flow.open", outside).await, refused("host.path"));
    assert_eq!(status("admin", "users.lost", json!({})).await, (404, "command.unknown".to_owned()));
    assert_eq!(status("admin", "flow.save", json!({})).await, (400, "command.arguments".to_owned()));
    let (code, body) = host.post("viewer", "/flows/help/runs", json!({ "input": "Hi" })).await;
    assert_eq!((code.as_u16(), &body["error"]["code"]), (403, &json!("host.forbidden")));
    let (code, _) = host.get("viewer", "/nowhere").await;
    assert_eq!(code, 404);

    let audit = data.audit();
    let last = audit.iter().rev().nth(1).unwrap();
    assert_eq!(last["name"], "viewer");
    assert_eq!(last["role"], "viewer");
    assert_eq!((&last["method"], &last["path"]), (&json!("POST"), &json!("/flows/help/runs")));
    assert_eq!((&last["status"], &last["code"]), (&json!(403), &json!("host.forbidden")));
}

#[tokio::test]
async fn keys_are_never_sent_back_nor_written_down() {
    const KEY: &str = "sk-of-nobody-0123456789abcdef";
    let data = Data::new();
    let host = data.serve();
    host.command("provider.setKey", json!({ "provider": "openai", "key": KEY })).await;
    for command in ["settings.get", "provider.status", "app.info", "mcp.list"] {
        let reply = host.command(command, json!({})).await;
        assert!(!reply.to_string().contains(KEY), "{command}");
    }
    let audit = std::fs::read_to_string(data.path().join("host/audit.jsonl")).unwrap();
    assert!(audit.contains("/commands/provider.setKey") && !audit.contains(KEY));
    assert!(["viewer", "admin"].iter().all(|role| !audit.contains(data.token(role))));
}

#[tokio::test]
async fn bodies_that_are_no_json_or_too_large_are_refused() {
    let data = Data::new();
    let host = data.serve_with(&["--max-body", "1"]);
    let path = "/commands/flow.check";
    let sent = host.request("admin", Method::POST, path).header("content-type", "text/plain").body("{}");
    assert_eq!(sent.send().await.unwrap().status(), 400);
    let sent = host.request("admin", Method::POST, path).header("content-type", "application/json").body("{");
    let sent = sent.send().await.unwrap();
    assert_eq!(sent.status(), 400);
    assert_eq!(crate::process::read(sent).await.1["error"]["code"], "host.body");
    let (status, body) = host.post("admin", path, json!({ "flow": "x".repeat(1 << 20) })).await;
    assert_eq!((status.as_u16(), &body["error"]["code"]), (413, &json!("host.too_large")));
    // The host goes on.
    assert_eq!(host.get("viewer", "/v1/models").await.0, 200);
}

#[tokio::test]
async fn host_that_cannot_check_or_write_down_does_nothing() {
    let data = Data::new();
    let host = data.serve();
    let ready = async || Client::new().get(format!("{}/readyz", host.url)).send().await.unwrap().status();
    assert_eq!(ready().await, 200);
    let tokens = data.path().join("host/tokens.json");
    let before = std::fs::read(&tokens).unwrap();
    std::fs::write(&tokens, "[{").unwrap();
    assert_eq!(ready().await, 503);
    let (status, body) = host.post("admin", "/commands/runs.list", json!({})).await;
    assert_eq!((status.as_u16(), &body["error"]["code"]), (503, &json!("host.tokens")));
    std::fs::write(&tokens, before).unwrap();
    assert_eq!(ready().await, 200);
    assert_eq!(Client::new().get(format!("{}/healthz", host.url)).send().await.unwrap().status(), 200);
}

#[test]
fn host_listens_for_others_only_where_that_is_said() {
    let data = Data::new();
    let serve = ["serve", "--embedded", "--listen", "0.0.0.0:0"];
    let output = crate::process::command(data.path(), &serve).output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("[host.address]"));
}
