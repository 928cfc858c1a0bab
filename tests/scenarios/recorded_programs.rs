//! Programs that Plait did not run: recorded, replayed without their server, drafted, and what goes wrong. The program is this test program
//! itself, which sends the requests that a variable lists.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home, with_store_lock};
use crate::support::server::{ModelServer, ServerReply, last_message_text};

/// What the program does: a list of requests, each with a path and a body; the exit code, and whether it sends all at once.
const SCRIPT: &str = "PLAIT_TEST_SCRIPT";
const KEY: &str = "sk-of-this-test-0123456789abcdef";

/// The program. Prints each response as it came.
#[test]
#[ignore = "the program that the tests record"]
fn the_program() {
    let Ok(script) = std::env::var(SCRIPT) else { return };
    let script: Value = serde_json::from_str(&script).unwrap();
    let requests: Vec<Value> = script["requests"].as_array().unwrap().clone();
    if script["atOnce"] == true {
        let threads: Vec<_> =
            requests.into_iter().map(|request| thread::spawn(move || send(&request))).collect();
        let whole = threads
            .into_iter()
            .filter(|_| true)
            .map(|one| one.join().unwrap())
            .filter(|text| text.contains("200 OK"));
        println!("{} responses", whole.count());
    } else {
        for request in requests {
            let response = send(&request);
            println!("{}", response.split("\r\n\r\n").skip(1).collect::<Vec<_>>().join("\n"));
        }
    }
    std::process::exit(i32::try_from(script["code"].as_i64().unwrap_or_default()).unwrap());
}

fn send(request: &Value) -> String {
    let base = std::env::var(request["variable"].as_str().unwrap_or("OPENAI_BASE_URL")).unwrap();
    let (host, prefix) = base.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let body = request["body"].as_str().map_or_else(|| request["body"].to_string(), str::to_owned);
    let (path, length) = (request["path"].as_str().unwrap(), body.len());
    let head = format!(
        "POST /{prefix}{path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\nauthorization: Bearer {KEY}\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut response = Vec::new();
    if let Some(bytes) = request["leaveAfter"].as_u64() {
        let mut part = [0; 1];
        while (response.len() as u64) < bytes && stream.read(&mut part).unwrap() > 0 {
            response.push(part[0]);
        }
    } else {
        // What is cut off ends with an error.
        let _ = stream.read_to_end(&mut response);
    }
    String::from_utf8_lossy(&response).into_owned()
}

fn program(home: &Home, options: &[&str], server: Option<&str>, script: &Value) -> Child {
    let this = std::env::current_exe().unwrap();
    let this = this.to_str().unwrap();
    let upstream = server.map(|url| format!("openai={url}"));
    let mut args = vec!["record"];
    args.extend(upstream.iter().flat_map(|upstream| ["--upstream", upstream]));
    args.extend(options);
    args.extend(["--", this, "--ignored", "--exact", "recorded_programs::the_program", "--nocapture"]);
    let mut command = home.command(&args);
    command.env(SCRIPT, script.to_string());
    with_store_lock(|| command.spawn().unwrap())
}

fn record(home: &Home, options: &[&str], server: Option<&str>, script: &Value) -> CliOutput {
    program(home, options, server, script).wait_with_output().unwrap().into()
}

fn chat(messages: &Value, more: &Value) -> Value {
    let mut body = json!({ "model": "scripted", "stream": true, "messages": messages });
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    json!({ "path": "/chat/completions", "body": body })
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn runs(home: &Home) -> Vec<Value> {
    serde_json::from_str(&home.plait(&["runs", "list", "--json"]).out).unwrap()
}

fn events(home: &Home, kind: &str) -> Vec<Value> {
    let shown = home.plait(&["runs", "show", "last", "--json"]);
    assert_eq!(shown.code, 0, "{shown:#?}");
    shown.events().into_iter().filter(|event| event["type"] == kind).collect()
}

/// What the program prints, without what the test harness prints around it.
fn printed(output: &CliOutput) -> String {
    let lines = output.out.lines().filter(|line| line.starts_with("data: ") || line.starts_with('{'));
    lines.collect::<Vec<_>>().join("\n")
}

/// An agent: a question, a tool call, an answer; then another call that repeats the answer.
fn agent() -> Value {
    let tool = json!({ "type": "function", "function": { "name": "weather", "description": "Of a city",
        "parameters": { "type": "object", "properties": { "city": { "type": "string" } } } } });
    let tools = json!({ "tools": [tool], "temperature": 0.5 });
    let call = json!({ "id": "call_0", "type": "function", "function": { "name": "weather", "arguments": "{\"city\":\"Paris\"}" } });
    let asked = json!([{ "role": "system", "content": "You are terse." }, user("Weather in Paris?")]);
    let mut answered = asked.as_array().unwrap().clone();
    answered.push(json!({ "role": "assistant", "content": null, "tool_calls": [call] }));
    answered.push(json!({ "role": "tool", "tool_call_id": "call_0", "content": "sunny, 21" }));
    json!({ "code": 7, "requests": [
        chat(&asked, &tools),
        chat(&json!(answered), &tools),
        chat(&json!([user("Translate: re: sunny, 21")]), &json!({})),
    ] })
}

fn weather(request: &Value, _: usize) -> ServerReply {
    match last_message_text(request) {
        text if text.starts_with("Weather") => {
            ServerReply::Tool { name: "weather".to_owned(), arguments: json!({ "city": "Paris" }) }
        }
        text => ServerReply::Text(format!("re: {text}")),
    }
}

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

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// The program gets it as the server said it; nothing that is kept has a part of it.
#[test]
fn a_key_that_a_stream_spells_out_over_events_is_not_kept() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (one, two) = KEY.split_at(14);
    let event = |text: &str| {
        let delta = json!({ "index": 0, "delta": { "content": text }, "finish_reason": null });
        format!("data: {}\n\n", json!({ "id": "1", "model": "scripted", "choices": [delta] }))
    };
    let stop = json!({ "id": "1", "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let events_sent =
        ["It is ", one, two, ", yes"].map(event).concat() + &format!("data: {stop}\n\ndata: [DONE]\n\n");
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut part = [0; 1024];
        while !String::from_utf8_lossy(&request).contains("Hello") {
            let length = stream.read(&mut part).unwrap();
            request.extend_from_slice(&part[..length]);
        }
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        stream.write_all(format!("{head}{events_sent}").as_bytes()).unwrap();
        String::from_utf8_lossy(&request).into_owned()
    });
    let home = Home::default();
    let request = chat(&json!([user("Hello")]), &json!({ "stream": true }));
    let recorded = record(&home, &[], Some(&url), &json!({ "requests": [request] }));
    assert_eq!(recorded.code, 0, "{recorded:#?}");
    assert!(server.join().unwrap().contains(KEY), "the server gets the key");
    assert!(recorded.out.contains(one) && recorded.out.contains(two), "{recorded:#?}");
    let replied = &events(&home, "model.replied")[0];
    assert_eq!(replied["reply"]["text"], "It is [key of openai], yes", "{replied:#}");
    for entry in walk(home.path()) {
        let bytes = std::fs::read(&entry).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(one) && !text.contains(two), "{} has a part of the key", entry.display());
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
async fn a_server_that_is_down_fails_the_call_by_name() {
    let home = Home::default();
    let script = json!({ "requests": [chat(&json!([user("Hello")]), &json!({}))] });
    let output = record(&home, &[], Some("http://127.0.0.1:9/v1"), &script);
    assert_eq!(output.code, 0, "{output:#?}");
    assert!(printed(&output).contains("Plait could not reach http://127.0.0.1:9/v1"), "{output:#?}");
    let [run] = &runs(&home)[..] else { panic!("one run") };
    assert_eq!((&run["status"], &run["error"]["code"]), (&json!("failed"), &json!("provider.unreachable")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_leaves_mid_stream_has_a_call_that_was_cut_short() {
    let slow =
        |_: &Value, _: usize| ServerReply::Slow(Duration::from_millis(100), "one two three ".repeat(1_000));
    let server = ModelServer::start(slow).await;
    let home = Home::default();
    let mut request = chat(&json!([user("Hello")]), &json!({}));
    request["leaveAfter"] = json!(200);
    let output = record(&home, &[], Some(&server.url), &json!({ "requests": [request] }));
    assert_eq!(output.code, 0, "{output:#?}");
    assert_eq!(runs(&home)[0]["error"]["code"], "provider.cut_short");
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

#[test]
fn a_command_that_does_not_exist_is_refused() {
    let home = Home::default();
    let output = home.plait(&["record", "--", "no-such-program-anywhere"]);
    assert_eq!(output.code, 1, "{output:#?}");
    assert!(
        output.err.contains("record.command") && output.err.contains("no-such-program-anywhere"),
        "{output:#?}"
    );
    assert!(runs(&home).is_empty());
    let output = home.plait(&["record", "--", "true"]);
    assert_eq!(output.code, 0);
    assert!(output.err.contains("record.no_calls"), "{output:#?}");
    assert!(
        home.plait(&["record", "--upstream", "openai=ftp://x", "--", "true"]).err.contains("record.upstream")
    );
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

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_recorder_has_recorded_is_an_interrupted_run() {
    let server = ModelServer::start(|_, before| match before {
        0 => ServerReply::Text("First".to_owned()),
        _ => ServerReply::NoResponse,
    });
    let server = server.await;
    let home = Home::default();
    let script = json!({ "requests": [chat(&json!([user("One")]), &json!({})), chat(&json!([user("Two")]), &json!({}))] });
    let mut recorder = program(&home, &[], Some(&server.url), &script);
    while server.calls().len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // The second request is in the log before it reaches the server.
    recorder.kill().unwrap();
    recorder.wait().unwrap();
    let [run] = &runs(&home)[..] else { panic!("one run") };
    assert_eq!(run["status"], "interrupted");
    assert_eq!(events(&home, "model.replied")[0]["reply"]["text"], "First");
    assert_eq!(events(&home, "prompt.rendered").len(), 2);
    assert_eq!(runs(&home).len(), 1, "it is kept once");
}

#[test]
fn a_recorder_killed_between_calls_leaves_a_run_that_can_be_ended() {
    let home = Home::default();
    let body = chat(&json!([user("One")]), &json!({}))["body"].to_string();
    let reply =
        json!({ "choices": [{ "message": { "content": "First" }, "finish_reason": "stop" }] }).to_string();
    let lines = [
        json!({ "line": "program", "version": 1, "at": 1, "name": "P", "command": ["p"] }),
        json!({ "line": "request", "id": 0, "at": 2, "upstream": "openai", "baseUrl": "http://h/v1", "method": "POST",
            "path": "/chat/completions", "body": { "text": body } }),
        json!({ "line": "response", "id": 0, "at": 3, "status": 200, "contentType": "application/json" }),
        json!({ "line": "chunk", "id": 0, "at": 4, "data": { "text": reply } }),
        json!({ "line": "end", "id": 0, "at": 5 }),
    ];
    let log = lines.map(|line| line.to_string()).join("\n");
    std::fs::create_dir(home.path().join("programs")).unwrap();
    home.file("programs/1-1.jsonl", &format!("{log}\n{{\"line\":\"requ"));
    assert_eq!(runs(&home)[0]["status"], "interrupted");
    assert_eq!(events(&home, "model.replied").len(), 1);
    assert_eq!(home.plait(&["resume", "last"]).code, 0);
    assert_eq!(runs(&home)[0]["status"], "finished");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_ends_the_command_and_the_run_is_kept() {
    let server = ModelServer::start(|_, before| match before {
        0 => ServerReply::Text("First".to_owned()),
        _ => ServerReply::NoResponse,
    });
    let server = server.await;
    let home = Home::default();
    let script = json!({ "requests": [chat(&json!([user("One")]), &json!({})), chat(&json!([user("Two")]), &json!({}))] });
    let recorder = program(&home, &[], Some(&server.url), &script);
    while server.calls().len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let killed = std::process::Command::new("kill").args(["-INT", &recorder.id().to_string()]).status();
    assert!(killed.unwrap().success());
    let output = CliOutput::from(recorder.wait_with_output().unwrap());
    assert_eq!(output.code, 130, "{output:#?}");
    assert!(output.err.contains("Recorded 2 calls of models"), "{output:#?}");
    assert_eq!(events(&home, "model.replied").len(), 1);
}

/// Traces of an agent: two calls and a tool, in attributes of the current conventions.
fn traces() -> Value {
    let text = |key: &str, value: Value| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        json!({ "key": key, "value": { "stringValue": value } })
    };
    let span = |id: &str, parent: &str, begun: u64, attributes: Vec<Value>| {
        json!({ "traceId": "t", "spanId": id, "parentSpanId": parent, "name": id, "startTimeUnixNano": format!("{begun}000000000"),
            "endTimeUnixNano": format!("{}000000000", begun + 1), "attributes": attributes })
    };
    let said = |role: &str, part: Value| json!({ "role": role, "parts": [part] });
    let asked = said("user", json!({ "type": "text", "content": "Weather in Paris?" }));
    let call = said(
        "assistant",
        json!({ "type": "tool_call", "id": "c1", "name": "weather", "arguments": { "city": "Paris" } }),
    );
    let result = said("tool", json!({ "type": "tool_call_response", "id": "c1", "response": "sunny" }));
    let answer = said("assistant", json!({ "type": "text", "content": "Sunny." }));
    let chat = |input: Value, output: Value| {
        vec![
            text("gen_ai.operation.name", json!("chat")),
            text("gen_ai.provider.name", json!("openai")),
            text("gen_ai.request.model", json!("gpt-4o-mini")),
            text("gen_ai.input.messages", input),
            text("gen_ai.output.messages", json!([output])),
            json!({ "key": "gen_ai.usage.input_tokens", "value": { "intValue": "30" } }),
            json!({ "key": "gen_ai.usage.output_tokens", "value": { "intValue": 5 } }),
        ]
    };
    let agent = vec![
        text("gen_ai.operation.name", json!("invoke_agent")),
        text("gen_ai.agent.name", json!("Weather clerk")),
    ];
    let tool = vec![
        text("gen_ai.operation.name", json!("execute_tool")),
        text("gen_ai.tool.name", json!("weather")),
    ];
    json!({ "resourceSpans": [{ "resource": {}, "scopeSpans": [{ "spans": [
        span("agent", "", 100, agent),
        span("one", "agent", 101, chat(json!([asked]), call.clone())),
        span("tool", "agent", 102, tool),
        span("two", "agent", 104, chat(json!([asked, call, result]), answer)),
    ] }] }] })
}

#[test]
fn traces_become_a_run_like_any_other() {
    let home = Home::default();
    let file = home.file("traces.jsonl", &format!("{}\n", traces()));
    let imported = home.plait(&["import", "otlp", &file]);
    assert_eq!(imported.code, 0, "{imported:#?}");
    let [run] = &runs(&home)[..] else { panic!("one run") };
    assert_eq!((&run["flowName"], &run["tokens"]["input"]), (&json!("Weather clerk"), &json!(60)));
    assert_eq!(run["startedAt"], 101_000);
    assert_eq!(events(&home, "tool.finished")[0]["result"], "sunny");
    assert_eq!(
        events(&home, "node.started").iter().filter(|event| event["node"] == "weather-clerk").count(),
        1
    );
    assert_eq!(home.plait(&["replay", "last"]).code, 0);
}

#[test]
fn traces_that_cannot_be_read_say_why() {
    let home = Home::default();
    let import = |name: &str, text: &str| home.plait(&["import", "otlp", &home.file(name, text)]);
    for (text, code) in [
        ("garbage", "traces.form"),
        ("", "traces.form"),
        ("[]", "traces.form"),
        ("{}", "traces.form"),
        (r#"{"resourceSpans":[]}"#, "traces.no_calls"),
        (r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"GET /"}]}]}]}"#, "traces.no_calls"),
    ] {
        let output = import("bad.json", text);
        assert!(output.code != 0 && output.err.contains(code), "{text}: {output:#?}");
    }
    assert!(runs(&home).is_empty());
    // Without content, and with parents in a circle.
    let mut bare = traces();
    let spans = bare.pointer_mut("/resourceSpans/0/scopeSpans/0/spans").unwrap();
    spans[0]["parentSpanId"] = json!("one");
    spans[0]["attributes"] = json!([]);
    for span in [1, 3] {
        spans[span]["attributes"]
            .as_array_mut()
            .unwrap()
            .retain(|pair| !pair["key"].as_str().unwrap().ends_with(".messages"));
    }
    let output = import("bare.json", &bare.to_string());
    assert_eq!(output.code, 0, "{output:#?}");
    assert!(
        output.err.contains("The messages are not in the trace") && output.err.contains("(2 spans)"),
        "{output:#?}"
    );
    assert!(output.err.contains("form a circle"), "{output:#?}");
}
