//! Programs that Plait did not run: recorded, replayed without their server, drafted, and what goes wrong. The program is this test program
//! itself, which sends the requests that a variable lists.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;
use std::thread;

use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home, with_store_lock};
use crate::support::server::{ServerReply, last_message_text};

mod failures;
mod live;
mod runs;
mod secrets;
mod traces;

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

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
