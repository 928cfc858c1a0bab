use std::path::Path;

use plait_api::Options;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use super::*;

const COMMANDS: [&str; 29] = [
    "initialize",
    "launch",
    "attach",
    "setBreakpoints",
    "setFunctionBreakpoints",
    "setExceptionBreakpoints",
    "dataBreakpointInfo",
    "setDataBreakpoints",
    "next",
    "stepIn",
    "stepOut",
    "stepBack",
    "reverseContinue",
    "restartFrame",
    "pause",
    "threads",
    "stackTrace",
    "scopes",
    "variables",
    "setVariable",
    "evaluate",
    "exceptionInfo",
    "source",
    "plait/answer",
    "configurationDone",
    "restart",
    "",
    "\u{0}",
    "continue",
];

/// An editor at the other end of a session.
struct Editor {
    stream: BufReader<DuplexStream>,
    seq: i64,
}

impl Editor {
    fn connect(home: &Path) -> (Self, tokio::task::JoinHandle<Result<(), ErrorReply>>) {
        let home = home.to_owned();
        let opening = Opening {
            options: Box::new(move || Options::new(&home, plait_app::parts())),
            serves: false,
            waits: false,
            on_wait: |_| (),
            on_open: |_| (),
        };
        let (editor, adapter) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(adapter);
        let session = tokio::spawn(serve(opening, BufReader::new(reader), writer));
        (Self { stream: BufReader::new(editor), seq: 0 }, session)
    }

    async fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let framed = format!("Content-Length: {}\r\n\r\n{text}", text.len());
        self.stream.get_mut().write_all(framed.as_bytes()).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        let mut header = String::new();
        self.stream.read_line(&mut header).await.unwrap();
        let length: usize = header.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
        self.stream.read_line(&mut String::new()).await.unwrap();
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await.unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Sends a request. What is received until its response, which is last.
    async fn ask(&mut self, command: &str, arguments: Value) -> Vec<Value> {
        self.seq += 1;
        self.send(&json!({ "seq": self.seq, "type": "request", "command": command, "arguments": arguments }))
            .await;
        let mut received = Vec::new();
        loop {
            let message = self.receive().await;
            let is_response = message["type"] == "response" && message["request_seq"] == self.seq;
            received.push(message);
            if is_response {
                return received;
            }
        }
    }

    async fn wait_for(&mut self, event: &str) {
        while self.receive().await["event"] != event {}
    }
}

fn strange_arguments() -> Vec<Value> {
    let numbers = |number: i64| {
        json!({
            "threadId": number, "frameId": number, "variablesReference": number, "start": number, "count": number,
            "startFrame": number, "levels": number, "sourceReference": number, "source": { "sourceReference": number },
            "name": "x", "value": "{", "expression": "a".repeat(5_000), "answer": "", "context": "repl",
            "breakpoints": [{ "line": number, "dataId": "->", "name": ":when=", "hitCondition": "-1" }],
            "filters": ["", "spent"], "run": "\u{0}", "program": "\u{0}",
        })
    };
    vec![
        Value::Null,
        json!(5),
        json!([]),
        json!({}),
        json!({ "breakpoints": 5, "source": [], "filters": {}, "threadId": "1" }),
        numbers(-1),
        numbers(0),
        numbers(1),
        numbers(i64::MIN),
        numbers(i64::MAX),
    ]
}

#[tokio::test]
async fn strange_requests_are_answered_one_by_one() {
    let home = tempfile::tempdir().unwrap();
    let (mut editor, session) = Editor::connect(home.path());
    let answer_all = async |editor: &mut Editor, commands: &[&str]| {
        for command in commands {
            for arguments in strange_arguments() {
                let received = editor.ask(command, arguments.clone()).await;
                let response = received.last().unwrap();
                if response["success"] == false {
                    let text = response["body"]["error"]["variables"]["text"].as_str();
                    assert!(text.is_some_and(|text| text.contains('[')), "{command} {arguments}: {response}");
                }
            }
        }
    };
    answer_all(&mut editor, &COMMANDS[1..]).await;
    editor.ask("initialize", json!({})).await;
    answer_all(&mut editor, &COMMANDS).await;
    // What is no request is passed over.
    for message in [
        json!([]),
        json!({ "seq": 1 }),
        json!({ "seq": 1, "type": "response" }),
        json!({ "seq": 1, "type": "event" }),
    ] {
        editor.send(&message).await;
    }
    editor.send(&json!({ "seq": 900, "type": "request", "command": "launch", "arguments": { "program": "hello", "stopOnEntry": true } })).await;
    editor.wait_for("initialized").await;
    editor.ask("configurationDone", Value::Null).await;
    editor.wait_for("stopped").await;
    // The last one goes on.
    answer_all(&mut editor, &COMMANDS[..COMMANDS.len() - 4]).await;
    editor.ask("disconnect", Value::Null).await;
    session.await.unwrap().unwrap();
}

#[tokio::test]
async fn session_ends_with_an_editor_that_sends_no_messages() {
    let home = tempfile::tempdir().unwrap();
    let (mut editor, session) = Editor::connect(home.path());
    editor.stream.get_mut().write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    assert_eq!(session.await.unwrap().unwrap_err().code, codes::DAP_PROTOCOL);
    let (editor, session) = Editor::connect(home.path());
    drop(editor);
    session.await.unwrap().unwrap();
}
