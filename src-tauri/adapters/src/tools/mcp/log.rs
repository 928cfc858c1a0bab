//! The last lines that a server wrote to its standard error, and what Plait noticed about it.

use std::collections::VecDeque;
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use ts_rs::TS;

const MAX_LINES: usize = 1_000;
const MAX_LINE_BYTES: usize = 4_096;
const MAX_LOG_BYTES: usize = 1 << 20;
const READ_BYTES: usize = 8_192;

/// A line of a server's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct McpLogLine {
    /// In milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub at: u64,
    pub origin: McpLogOrigin,
    pub text: String,
}

/// Who wrote a line of a server's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum McpLogOrigin {
    /// The server, to its standard error.
    Stderr,
    /// The server, to its standard output, where only messages may be.
    Stdout,
    /// The server, in a logging message.
    Message,
    Plait,
}

/// The log of a server: bounded, so a server that floods it costs time only.
#[derive(Default)]
pub(super) struct ServerLog(Mutex<Lines>);

#[derive(Default)]
struct Lines {
    lines: VecDeque<McpLogLine>,
    bytes: usize,
}

impl ServerLog {
    pub(super) fn push(&self, origin: McpLogOrigin, text: &str) {
        let line = McpLogLine { at: now_ms(), origin, text: cut(text, MAX_LINE_BYTES) };
        let mut log = self.0.lock();
        log.bytes += line.text.len();
        log.lines.push_back(line);
        while log.lines.len() > MAX_LINES || log.bytes > MAX_LOG_BYTES {
            let removed = log.lines.pop_front().map_or(0, |line| line.text.len());
            log.bytes -= removed;
        }
    }

    pub(super) fn lines(&self) -> Vec<McpLogLine> {
        self.0.lock().lines.iter().cloned().collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.lock().lines.is_empty()
    }

    /// The last lines of standard error, for messages.
    pub(super) fn last_words(&self) -> Option<String> {
        let log = self.0.lock();
        let said = log.lines.iter().rev().filter(|line| line.origin == McpLogOrigin::Stderr);
        let mut words: Vec<&str> =
            said.map(|line| line.text.trim()).filter(|text| !text.is_empty()).take(3).collect();
        words.reverse();
        (!words.is_empty()).then(|| cut(&words.join(" / "), 500))
    }

    /// Reads standard error until it ends.
    pub(super) async fn follow(&self, mut stderr: impl AsyncRead + Unpin) {
        let (mut line, mut is_cut) = (Vec::new(), false);
        let mut buffer = vec![0; READ_BYTES];
        loop {
            let count = match stderr.read(&mut buffer).await {
                Ok(0) | Err(_) => break,
                Ok(count) => count,
            };
            for part in buffer[..count].split_inclusive(|byte| *byte == b'\n') {
                let (text, ends) = part.strip_suffix(b"\n").map_or((part, false), |text| (text, true));
                let room = MAX_LINE_BYTES.saturating_sub(line.len());
                line.extend_from_slice(&text[..text.len().min(room)]);
                is_cut |= text.len() > room;
                if ends {
                    self.push_bytes(&line, is_cut);
                    (line, is_cut) = (Vec::new(), false);
                }
            }
        }
        if !line.is_empty() {
            self.push_bytes(&line, is_cut);
        }
    }

    fn push_bytes(&self, line: &[u8], is_cut: bool) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end_matches('\r');
        self.push(McpLogOrigin::Stderr, &if is_cut { format!("{text}…") } else { text.to_owned() });
    }
}

/// The time, in milliseconds since the Unix epoch.
pub(super) fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    u64::try_from(now).unwrap_or(u64::MAX)
}

/// The beginning of a text, at most `max` bytes and an ellipsis.
pub(super) fn cut(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(max)])
}
