//! What goes wrong around a recorded program: its server, its command, its recorder.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
#[cfg(unix)]
use std::process::Child;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::{chat, events, printed, program, record, runs, user};
use crate::support::binary::{CliOutput, Home};
use crate::support::server::{ModelServer, ServerReply};

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

/// A server that sends one reply in parts, packed together though nobody asked for that. Gives what it was asked.
fn packing_server() -> (String, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut request, mut part) = (Vec::new(), [0; 4096]);
        while !request.ends_with(b"}") {
            let read = stream.read(&mut part).unwrap();
            request.extend_from_slice(&part[..read]);
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n").unwrap();
        let mut packed = GzEncoder::new(stream, Compression::default());
        for (text, reason) in [("Sun", Value::Null), ("ny", json!("stop"))] {
            let chunk =
                json!({ "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": reason }] });
            packed.write_all(format!("data: {chunk}\n\n").as_bytes()).unwrap();
            packed.flush().unwrap();
        }
        packed.write_all(b"data: [DONE]\n\n").unwrap();
        packed.finish().unwrap();
        String::from_utf8(request).unwrap().to_lowercase()
    });
    (url, asked)
}

#[test]
fn a_reply_that_is_packed_unasked_is_recorded_and_replayed_unpacked() {
    let home = Home::default();
    let (url, asked) = packing_server();
    let script = json!({ "requests": [chat(&json!([user("Weather?")]), &json!({}))] });
    let first = record(&home, &[], Some(&url), &script);
    assert!(asked.join().unwrap().contains("accept-encoding: identity"));
    assert!(printed(&first).contains("Sun") && printed(&first).contains("[DONE]"), "{first:#?}");
    assert_eq!((&runs(&home)[0]["status"], first.code), (&json!("finished"), 0), "{first:#?}");
    assert_eq!(events(&home, "model.replied")[0]["reply"]["text"], "Sunny");
    let again = record(&home, &["--replay", "last"], None, &script);
    assert_eq!((again.code, printed(&again)), (0, printed(&first)));
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

/// A recorded program whose first call is answered, and whose second never is.
#[cfg(unix)]
async fn program_in_its_second_call(home: &Home) -> (Child, ModelServer) {
    let server = ModelServer::start(|_, before| match before {
        0 => ServerReply::Text("First".to_owned()),
        _ => ServerReply::NoResponse,
    });
    let server = server.await;
    let script = json!({ "requests": [chat(&json!([user("One")]), &json!({})), chat(&json!([user("Two")]), &json!({}))] });
    let recorder = program(home, &[], Some(&server.url), &script);
    while server.calls().len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    (recorder, server)
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_recorder_has_recorded_is_an_interrupted_run() {
    let home = Home::default();
    let (mut recorder, _server) = program_in_its_second_call(&home).await;
    let shown = loop {
        if let [run] = &runs(&home)[..] {
            break run.clone();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!(shown["status"], "running");
    // The second request is in the log before it reaches the server.
    recorder.kill().unwrap();
    recorder.wait().unwrap();
    let [run] = &runs(&home)[..] else { panic!("one run") };
    assert_eq!((&run["status"], &run["run"]), (&json!("interrupted"), &shown["run"]));
    assert_eq!(events(&home, "model.replied")[0]["reply"]["text"], "First");
    assert_eq!(events(&home, "prompt.rendered").len(), 2);
    assert_eq!(runs(&home).len(), 1, "it is kept once");
}

#[test]
fn what_a_killed_recorder_leaves_is_neither_resumed_nor_canceled() {
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
    let before = events(&home, "run.started");
    for refused in ["resume", "cancel"] {
        let output = home.plait(&[refused, "last"]);
        assert!(output.code == 1 && output.err.contains("record.ended_early"), "{refused}: {output:#?}");
    }
    assert_eq!(
        (runs(&home)[0]["status"].as_str(), events(&home, "run.started")),
        (Some("interrupted"), before)
    );
    // A fork of it is a run of Plait's.
    let rerun = home.plait(&["rerun", "last", "--yes", "--json"]);
    assert_eq!(rerun.code, 0, "{rerun:#?}");
    let [fork, program] = &runs(&home)[..] else { panic!("two runs") };
    assert_eq!((&fork["from"], fork["program"].as_str()), (&program["run"], None));
    let removed = home.plait(&["runs", "rm", program["run"].as_str().unwrap()]);
    assert_eq!(removed.code, 0, "{removed:#?}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_ends_the_command_and_the_run_is_kept() {
    let home = Home::default();
    let (recorder, _server) = program_in_its_second_call(&home).await;
    let killed = std::process::Command::new("kill").args(["-INT", &recorder.id().to_string()]).status();
    assert!(killed.unwrap().success());
    let output = CliOutput::from(recorder.wait_with_output().unwrap());
    assert_eq!(output.code, 130, "{output:#?}");
    assert!(output.err.contains("Recorded 2 calls of models"), "{output:#?}");
    assert_eq!(events(&home, "model.replied").len(), 1);
}
