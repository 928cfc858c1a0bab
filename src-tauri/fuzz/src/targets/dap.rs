//! Debug Adapter Protocol sessions. An input is what an editor sends: messages with their headers, or one message a line. Whatever it is, the
//! session ends with the input, and all that it sends is whole messages, numbered from 1.

use std::io::Cursor;

use anyhow::Context as _;
use plait_api::{Opening, Options};
use plait_dap_server::serve;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;

use super::{Handler, gist, runtime};

pub(super) const WORDS: &[&str] = &[
    "Content-Length: 20\r\n\r\n",
    "{\"seq\":1,\"type\":\"request\",\"command\":\"",
    "\"command\":\"initialize\",\"arguments\":{",
    "\"command\":\"setBreakpoints\",\"arguments\":{\"source\":{\"path\":\"/f.flow.json\"},\"breakpoints\":[{\"line\":1,\"condition\":\"true\"}]}}",
    "\"command\":\"setFunctionBreakpoints\",\"arguments\":{\"breakpoints\":[{\"name\":\"a:after\",\"hitCondition\":\"3\"}]}}",
    "\"command\":\"setExceptionBreakpoints\",\"arguments\":{\"filters\":[\"failed\"]}}",
    "\"command\":\"evaluate\",\"arguments\":{\"expression\":\"1\",\"frameId\":1}}",
    "\"command\":\"variables\",\"arguments\":{\"variablesReference\":18446744073709551615}}",
    "\"command\":\"stackTrace\",\"arguments\":{\"threadId\":1,\"startFrame\":-1}}",
    "\"command\":\"attach\",\"arguments\":{\"run\":\"last\"}}",
    "\n",
];

pub(super) const SEEDS: &[&str] = &[
    "Content-Length: 71\r\n\r\n{\"seq\":1,\"type\":\"request\",\"command\":\"initialize\",\"arguments\":{\"a\":\"b\"}}",
    "{\"seq\":1,\"type\":\"request\",\"command\":\"initialize\",\"arguments\":{\"adapterID\":\"plait\",\"linesStartAt1\":true}}\n{\"seq\":2,\"type\":\"request\",\"command\":\"launch\",\"arguments\":{\"program\":\"/missing.flow.json\",\"stopOnEntry\":true}}\n{\"seq\":3,\"type\":\"request\",\"command\":\"setBreakpoints\",\"arguments\":{\"source\":{\"path\":\"/missing.flow.json\"},\"breakpoints\":[{\"line\":3}]}}\n{\"seq\":4,\"type\":\"request\",\"command\":\"configurationDone\"}\n{\"seq\":5,\"type\":\"request\",\"command\":\"threads\"}\n{\"seq\":6,\"type\":\"request\",\"command\":\"stackTrace\",\"arguments\":{\"threadId\":1}}\n{\"seq\":7,\"type\":\"request\",\"command\":\"scopes\",\"arguments\":{\"frameId\":1}}\n{\"seq\":8,\"type\":\"request\",\"command\":\"evaluate\",\"arguments\":{\"expression\":\"value\",\"context\":\"repl\"}}\n{\"seq\":9,\"type\":\"request\",\"command\":\"stepBack\",\"arguments\":{\"threadId\":1}}\n{\"seq\":10,\"type\":\"request\",\"command\":\"disconnect\"}\n",
];

pub(super) struct DapHandler {
    runtime: tokio::runtime::Runtime,
    home: TempDir,
}

impl DapHandler {
    pub(super) fn new() -> anyhow::Result<Self> {
        Ok(Self { runtime: runtime()?, home: tempfile::tempdir().context("make a temporary folder")? })
    }
}

impl Handler for DapHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        let home = self.home.path().to_owned();
        let opening = Opening {
            options: Box::new(move || Options::new(&home, plait_app::parts())),
            serves: false,
            waits: false,
            on_wait: |_| (),
            on_open: |_| (),
        };
        let (ended, sent) = self.runtime.block_on(async {
            let (writer, mut reader) = tokio::io::duplex(1 << 16);
            let session = serve(opening, Cursor::new(framed(input)), writer);
            let reading = async {
                let mut sent = Vec::new();
                reader.read_to_end(&mut sent).await.map(|_| sent)
            };
            tokio::join!(session, reading)
        });
        let messages = messages(&sent.context("read what the session sent")?);
        for (message, seq) in messages.iter().zip(1_u64..) {
            assert_eq!(message["seq"], seq, "messages are numbered in order");
        }
        let end = ended.err().map_or_else(|| "ended".to_owned(), |error| gist(&error.message));
        let answered = messages.iter().filter(|message| message["success"] == true).count();
        Ok(format!("{end}, {} messages, {answered} succeeded", messages.len()))
    }
}

/// An input as an editor would send it.
fn framed(input: &[u8]) -> Vec<u8> {
    if input.starts_with(b"Content-Length") {
        return input.to_vec();
    }
    let lines = input.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines
        .flat_map(|line| [format!("Content-Length: {}\r\n\r\n", line.len()).as_bytes(), line].concat())
        .collect()
}

/// What a session sent, one message after the other.
fn messages(mut sent: &[u8]) -> Vec<Value> {
    let mut messages = Vec::new();
    while !sent.is_empty() {
        let text = std::str::from_utf8(sent).expect("messages are text");
        let (header, _) = text.split_once("\r\n\r\n").expect("each message has a header");
        let length = header.strip_prefix("Content-Length: ").and_then(|length| length.parse::<usize>().ok());
        let length = length.expect("the header is the length");
        let body = &sent[header.len() + 4..][..length];
        messages.push(serde_json::from_slice(body).expect("each message is JSON"));
        sent = &sent[header.len() + 4 + length..];
    }
    messages
}
