//! What a program exchanged with its model servers, as a log of lines that is appended to while it happens.
//!
//! | line | says |
//! |---|---|
//! | `program` | the command, first |
//! | `request` | a request, without its headers: they have the keys |
//! | `response` | the status and the type of a response |
//! | `chunk` | bytes of a response as they arrived |
//! | `end` | that nothing follows, and why if that was too early |
//! | `exit` | how the program ended, last |
//!
//! A log that ends anywhere is read as far as it goes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read, Write as _};
use std::path::Path;
use std::thread::JoinHandle;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::id::RunId;
use serde::{Deserialize, Serialize};
use std::sync::mpsc::{self, Sender};

use crate::codes;

/// The version of the form of a log.
const VERSION: u32 = 1;
/// The most bytes of a log that is read.
pub const MAX_LOG_BYTES: u64 = 1 << 30;

/// Bytes, as text if they are text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Data {
    Text(String),
    Base64(String),
}

impl Data {
    pub fn of(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Base64(STANDARD.encode(bytes)),
        }
    }

    /// The bytes. What is no Base64 is empty.
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Base64(text) => STANDARD.decode(text).unwrap_or_default(),
        }
    }
}

/// A line of a log. Times are milliseconds since the Unix epoch.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Line {
    Program {
        version: u32,
        at: u64,
        /// The run that it becomes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<RunId>,
        /// What people call the run.
        name: String,
        command: Vec<String>,
    },
    Request {
        id: u64,
        at: u64,
        /// The name of the [`Upstream`](crate::upstream::Upstream).
        upstream: String,
        base_url: String,
        method: String,
        /// The path below the base URL, with its query, without keys.
        path: String,
        body: Data,
    },
    Response {
        id: u64,
        at: u64,
        status: u16,
        content_type: String,
    },
    Chunk {
        id: u64,
        at: u64,
        data: Data,
    },
    End {
        id: u64,
        at: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<String>,
    },
    Exit {
        at: u64,
        code: i32,
    },
}

/// One request with its response.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    pub upstream: String,
    pub base_url: String,
    pub method: String,
    pub path: String,
    pub body: Vec<u8>,
    pub begun_ms: u64,
    /// 0 while there is no response.
    pub status: u16,
    pub content_type: String,
    /// The bytes of the response with the times at which they arrived.
    pub chunks: Vec<(u64, Vec<u8>)>,
    /// When it ended; none if the log ends before.
    pub ended_ms: Option<u64>,
    /// Why it ended too early, if it did.
    pub failure: Option<String>,
}

impl Exchange {
    /// The whole body of the response.
    pub fn response(&self) -> Vec<u8> {
        self.chunks.iter().flat_map(|(_, bytes)| bytes).copied().collect()
    }
}

/// A log that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// The run that it becomes; none in logs of earlier versions.
    pub run: Option<RunId>,
    pub name: String,
    pub command: Vec<String>,
    pub begun_ms: u64,
    pub exchanges: Vec<Exchange>,
    /// The exit code; none if the recorder ended before the program.
    pub exit: Option<i32>,
}

impl Recorded {
    /// Reads a log as far as it is whole. `record.log` if it does not begin like one.
    pub fn read(log: impl Read) -> Result<Self, Fault> {
        let unreadable = |why: &str| {
            Fault::new(codes::RECORD_LOG, format!("This is no log of a recorded program: {why}."))
        };
        let mut recorded = Self::default();
        let mut has_begun = false;
        let mut open: BTreeMap<u64, Exchange> = BTreeMap::new();
        for line in BufReader::new(log.take(MAX_LOG_BYTES)).lines() {
            let Ok(line) = line else { break };
            // A line that is cut off is the last one.
            let Ok(line) = serde_json::from_str::<Line>(&line) else { break };
            match line {
                Line::Program { version, at, run, name, command } => {
                    if version > VERSION {
                        return Err(unreadable("a newer version of Plait wrote it"));
                    }
                    has_begun = true;
                    recorded.run = run;
                    (recorded.begun_ms, recorded.name, recorded.command) = (at, name, command);
                }
                Line::Request { id, at, upstream, base_url, method, path, body } => {
                    let exchange = Exchange {
                        upstream,
                        base_url,
                        method,
                        path,
                        body: body.bytes(),
                        begun_ms: at,
                        status: 0,
                        content_type: String::new(),
                        chunks: Vec::new(),
                        ended_ms: None,
                        failure: None,
                    };
                    open.insert(id, exchange);
                }
                Line::Response { id, status, content_type, .. } => {
                    if let Some(exchange) = open.get_mut(&id) {
                        (exchange.status, exchange.content_type) = (status, content_type);
                    }
                }
                Line::Chunk { id, at, data } => {
                    if let Some(exchange) = open.get_mut(&id) {
                        exchange.chunks.push((at, data.bytes()));
                    }
                }
                Line::End { id, at, failure } => {
                    if let Some(exchange) = open.get_mut(&id) {
                        (exchange.ended_ms, exchange.failure) = (Some(at), failure);
                    }
                }
                Line::Exit { code, .. } => recorded.exit = Some(code),
            }
        }
        if !has_begun {
            return Err(unreadable("it does not name the program"));
        }
        recorded.exchanges = open.into_values().collect();
        Ok(recorded)
    }
}

/// Writes a log in a thread of its own, so that no exchange waits for the disk. What was written survives the end of this process.
pub struct LogWriter {
    lines: Mutex<Option<Sender<Line>>>,
    thread: Mutex<Option<JoinHandle<std::io::Result<()>>>>,
}

impl LogWriter {
    /// Creates the file, which only this person can read, and holds its lock. `record.log`.
    pub fn create(
        path: &Path,
        at: u64,
        run: RunId,
        name: String,
        command: Vec<String>,
    ) -> Result<Self, Fault> {
        let failed = |error: std::io::Error| {
            Fault::new(codes::RECORD_LOG, format!("The log {} cannot be written: {error}.", path.display()))
        };
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(failed)?;
        file.lock().map_err(failed)?;
        let (sender, lines) = mpsc::channel::<Line>();
        let thread =
            std::thread::Builder::new().name("exchanges".to_owned()).spawn(move || write(file, &lines));
        let writer =
            Self { lines: Mutex::new(Some(sender)), thread: Mutex::new(Some(thread.map_err(failed)?)) };
        writer.add(Line::Program { version: VERSION, at, run: Some(run), name, command });
        Ok(writer)
    }

    /// A log that nobody keeps.
    pub fn nowhere() -> Self {
        Self { lines: Mutex::default(), thread: Mutex::default() }
    }

    /// Appends a line.
    pub fn add(&self, line: Line) {
        if let Some(lines) = &*self.lines.lock() {
            // A log that cannot be written is reported when it is closed.
            let _ = lines.send(line);
        }
    }

    /// Writes what is left, and releases the lock. `record.log` if something could not be written.
    pub fn close(&self) -> Result<(), Fault> {
        drop(self.lines.lock().take());
        let Some(thread) = self.thread.lock().take() else { return Ok(()) };
        let written = thread.join().unwrap_or_else(|_| Err(std::io::Error::other("the thread has ended")));
        written.map_err(|error| {
            Fault::new(
                codes::RECORD_LOG,
                format!("What the program exchanged could not be written: {error}."),
            )
        })
    }
}

fn write(file: File, lines: &mpsc::Receiver<Line>) -> std::io::Result<()> {
    let mut file = BufWriter::new(file);
    while let Ok(first) = lines.recv() {
        let mut next = Some(first);
        while let Some(line) = next {
            serde_json::to_writer(&mut file, &line)?;
            file.write_all(b"\n")?;
            next = lines.try_recv().ok();
        }
        file.flush()?;
    }
    file.get_ref().sync_data()
}
