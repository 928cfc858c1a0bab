//! What a recorded program becomes: a run with its calls, turns and attempts, and a draft.

use serde_json::{Value, json};

use super::{KEY, agent, chat, events, printed, record, runs, user, walk, weather};
use crate::support::binary::Home;
use crate::support::server::{ModelServer, ServerReply, last_message_text};

#[tokio::test(flavor = "multi_thread")]
async fn a_program_becomes_a_run_a_draft_and_a_replay() {
    let server = ModelServer::start(weather).await;
    let home = Home::default();
    let draft = home.path().join("draft.flow.json").display().to_string();
    let recorded = record(&home, &["--draft", &draft, "--name", "Weather"], Some(&server.url), &agent());
    assert_eq!(recorded.code, 7, "{recorded:#?}");
    let sent: Vec<Value> =
        agent()["requests"].as_array().unwrap().iter().map(|one| one["body"].clone()).collect();
    assert_eq!(server.calls(), sent, "what the program sends reaches the server unchanged");

    let [run] = &runs(&home)[..] else { panic!("one run") };
    assert_eq!((&run["flowName"], &run["status"]), (&json!("Weather"), &json!("finished")));
    assert!(run["program"].as_str().unwrap().contains("the_program"));
    let replies = events(&home, "model.replied");
    assert_eq!(replies.len(), 3);
    assert_eq!(replies[1]["reply"]["text"], "re: sunny, 21");
    assert_eq!(events(&home, "tool.called")[0]["call"]["arguments"], json!({ "city": "Paris" }));
    assert_eq!(events(&home, "tool.finished")[0]["result"], "sunny, 21");
    assert!(events(&home, "node.noticed").is_empty(), "the draft sends what the program sent");

    let checked = home.plait(&["check", &draft]);
    assert_eq!(checked.code, 0, "{checked:#?}");
    let flow: Value = serde_json::from_str(&std::fs::read_to_string(&draft).unwrap()).unwrap();
    assert_eq!(flow["nodes"]["chat-start"]["config"]["systemInstructions"], "You are terse.");
    assert_eq!(flow["nodes"]["chat"]["config"]["temperature"], 0.5);
    assert_eq!(flow["nodes"]["chat-tools"]["config"]["http"][0]["name"], "weather");
    assert_eq!(flow["nodes"]["chat-2"]["config"]["prompt"], "Translate: {{reply_1}}");
    let written = home.plait(&["runs", "draft", "last", "-o", "-"]);
    assert_eq!(serde_json::from_str::<Value>(&written.out).unwrap(), flow);

    drop(server);
    let replayed = record(&home, &["--replay", "last"], None, &agent());
    assert_eq!((replayed.code, printed(&replayed)), (7, printed(&recorded)), "{replayed:#?}");
    let run = run["run"].as_str().unwrap();
    let again = home.plait(&["replay", run]);
    assert_eq!(again.code, 0, "{again:#?}");
    let diff = home.plait(&["diff", run, "last"]);
    assert!(diff.out.contains("The runs did the same"), "{diff:#?}");

    let text = agent().to_string().replace("Weather in Paris?", "Weather in Rome?");
    let changed = record(&home, &["--replay", run], None, &serde_json::from_str(&text).unwrap());
    assert!(changed.err.contains("it says \"Paris?\" where this one says \"Rome?\""), "{changed:#?}");
    assert!(changed.err.contains("record.not_recorded"));

    let files = home.plait(&["runs", "show", run, "--json"]).out;
    assert!(!files.contains(KEY));
    for entry in walk(home.path()) {
        let bytes = std::fs::read(&entry).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "{} has the key", entry.display());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_is_a_chat_in_a_cycle() {
    let server =
        ModelServer::start(|request, _| ServerReply::Text(format!("re: {}", last_message_text(request))))
            .await;
    let home = Home::default();
    let reply = |text: &str| json!({ "role": "assistant", "content": format!("re: {text}") });
    let script = json!({ "requests": [
        chat(&json!([user("One")]), &json!({})),
        chat(&json!([user("One"), reply("One"), user("Two")]), &json!({})),
        chat(&json!([user("One"), reply("One"), user("Two"), reply("Two"), user("Three")]), &json!({})),
    ] });
    assert_eq!(record(&home, &[], Some(&server.url), &script).code, 0);
    let answers: Vec<Value> =
        events(&home, "input.provided").iter().map(|event| event["answer"].clone()).collect();
    let given = |text: &str| json!({ "value": text });
    assert_eq!(answers, [given("One"), given("Two"), given("Three"), json!("end")]);
    assert_eq!(events(&home, "turn.committed").len(), 3);
    drop(server);
    assert_eq!(home.plait(&["replay", "last"]).code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn attempts_of_a_package_are_attempts_of_a_node() {
    let limit = json!({ "error": { "message": "Slow down", "type": "rate_limit_error" } });
    let server = ModelServer::start(move |_, before| match before {
        0 => ServerReply::Status(429, limit.clone()),
        _ => ServerReply::Text("At last".to_owned()),
    });
    let server = server.await;
    let home = Home::default();
    let request = chat(&json!([user("Hello")]), &json!({}));
    let script = json!({ "requests": [request.clone(), request] });
    assert_eq!(record(&home, &[], Some(&server.url), &script).code, 0);
    assert_eq!(events(&home, "node.retrying")[0]["error"]["code"], "provider.rate_limited");
    assert_eq!(runs(&home)[0]["status"], "finished");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_call_passes_and_is_named() {
    let server = ModelServer::start(weather).await;
    let home = Home::default();
    let script = json!({ "requests": [
        { "path": "/chat/completions", "body": "this is no JSON" },
        { "path": "/files?api_key=secret-in-a-query", "body": {} },
        chat(&json!([user("Hello")]), &json!({})),
        { "path": "/x", "body": {}, "variable": "ANTHROPIC_BASE_URL" },
    ] });
    let output = record(&home, &["--upstream", "anthropic=http://127.0.0.1:9"], Some(&server.url), &script);
    assert!(output.err.contains("Recorded 1 call of a model"), "{output:#?}");
    assert!(output.err.contains(
        "2 requests are no calls of a model. They were passed on and recorded: POST /files, POST /x"
    ));
    assert!(output.err.contains("1 requests have a body that is not of their protocol"));
    for entry in walk(home.path()) {
        assert!(!String::from_utf8_lossy(&std::fs::read(&entry).unwrap()).contains("secret-in-a-query"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_calls_at_once_are_recorded() {
    let server = ModelServer::start(|request, _| ServerReply::Text(last_message_text(request))).await;
    let home = Home::default();
    let requests: Vec<Value> =
        (0..1_000).map(|number| chat(&json!([user(&format!("Number {number}"))]), &json!({}))).collect();
    let output = record(&home, &[], Some(&server.url), &json!({ "atOnce": true, "requests": requests }));
    assert!(output.out.contains("1000 responses"), "{output:#?}");
    assert_eq!(server.calls().len(), 1_000);
    let mut replies: Vec<String> = events(&home, "model.replied")
        .iter()
        .map(|event| event["reply"]["text"].as_str().unwrap().to_owned())
        .collect();
    replies.sort();
    replies.dedup();
    assert_eq!(replies.len(), 1_000);
}
