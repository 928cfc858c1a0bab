//! Replies that the vendors' own packages wrote, with random values in all fields that say nothing about the answer.

use std::path::Path;

use plait_adapters::providers::ProviderKind;
use serde_json::{Value, json};

use crate::server::{Answer, Step, call_once};

#[tokio::test]
#[ignore = "needs the vendors' packages: `cargo xtask test --only vendors` writes the replies and runs it"]
async fn replies_of_the_vendors_types_are_read() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vendor-replies");
    let mut files: Vec<_> = std::fs::read_dir(directory).expect("written").flatten().collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    let mut problems = Vec::new();
    for file in &files {
        let name = file.file_name().to_string_lossy().into_owned();
        let written = std::fs::read_to_string(file.path()).expect("a file");
        let written: Value = serde_json::from_str(&written).expect("JSON");
        let kind: ProviderKind = serde_json::from_value(written["kind"].clone()).expect("a kind");
        let body = written["body"].as_str().expect("a body").to_owned();
        let headers = vec![("content-type", written["contentType"].as_str().expect("a type").to_owned())];
        let answer = Answer { status: 200, headers, steps: vec![Step::Send(body.clone().into_bytes())] };
        match call_once(kind, answer).await {
            Err(fault) => problems.push(format!("{name}: {fault}\n{body}")),
            Ok(reply) => {
                let calls: Vec<_> = reply
                    .tool_calls
                    .iter()
                    .map(|call| json!({"name": call.name, "arguments": call.arguments}))
                    .collect();
                let read = json!({"text": reply.text, "calls": calls});
                let expected = json!({"text": written["text"], "calls": written["calls"]});
                if read != expected || reply.stop_reason.problem().is_some() {
                    problems.push(format!("{name}: {:?} {read}\n{body}", reply.stop_reason));
                }
            }
        }
    }
    assert!(files.len() >= 100, "{} replies", files.len());
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), files.len(), problems.join("\n"));
}
