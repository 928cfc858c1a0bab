//! Recordings. An input is read as it is, and once more with the checksum that its list of parts needs: else hardly any list is read.

use plait_api::check_recording;
use plait_core::hash::content_hash;

use super::{Handler, gist};

pub(super) const WORDS: &[&str] = &[
    "plait-recording 1 ",
    "\n{\"parts\":[",
    "{\"name\":\"runs/0193e2a1-7c3b-7d52-9a41-3f2f7c6f1a10.jsonl\",",
    "{\"name\":\"../about.json\",",
    "\"bytes\":",
    "\"stored\":",
    "18446744073709551615",
    "\"hash\":\"",
    "x\u{9c}",
];

/// A file with one empty part.
pub(super) const SEEDS: &[&str] = &[
    "plait-recording 1 0\n{\"parts\":[{\"name\":\"about.json\",\"bytes\":0,\"stored\":0,\"hash\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}]}\n",
    "plait-recording 1 0\n{\"parts\":[]}\n",
];

pub(super) struct RecordingHandler;

impl Handler for RecordingHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        let mut outcomes = Vec::new();
        for file in [input.to_vec(), with_checksum(input)] {
            outcomes.push(match check_recording(&file) {
                Ok(runs) => format!("{runs} runs"),
                Err(error) => gist(&error.message),
            });
        }
        Ok(outcomes.join(", "))
    }
}

/// The same with the checksum of its second line in the first.
fn with_checksum(input: &[u8]) -> Vec<u8> {
    let mut lines = input.splitn(3, |byte| *byte == b'\n');
    let (_, list, body) = (lines.next(), lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let head = format!("plait-recording 1 {}\n", content_hash(list));
    [head.as_bytes(), list, b"\n", body].concat()
}
