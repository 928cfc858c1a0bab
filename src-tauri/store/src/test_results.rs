//! What came of the tests of each suite when they were last run: one line of JSON for each run of a case, appended when it has ended. A
//! copy of what the tests said: losing it costs running them again.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use plait_core::hash::content_hash;
use serde_json::Value;

use crate::{atomic_file, fault, private_files};

/// Adds a result of the suite with this path.
pub(crate) fn add(home: &Path, suite: &str, result: &Value) -> Result<(), Fault> {
    let file = file(home, suite);
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    private_files::set_mode(&mut options);
    let line = format!("{result}\n");
    file.parent()
        .map_or(Ok(()), private_files::create_folder)
        .and_then(|()| options.open(&file)?.write_all(line.as_bytes()))
        .map_err(|error| fault::of_io("keep the result of a test", &error))
}

/// The results of a suite, in the order in which they were added. A line that is torn or damaged is left out.
pub(crate) fn all(home: &Path, suite: &str) -> Result<Vec<Value>, Fault> {
    match fs::read(file(home, suite)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => {
            let bytes = read.map_err(|error| fault::of_io("read the results of tests", &error))?;
            let lines = bytes.split(|byte| *byte == b'\n');
            Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
        }
    }
}

/// Puts these in place of the results of a suite.
pub(crate) fn put(home: &Path, suite: &str, results: &[Value]) -> Result<(), Fault> {
    let file = file(home, suite);
    let lines: Vec<String> = results.iter().map(ToString::to_string).collect();
    let text = if lines.is_empty() { String::new() } else { lines.join("\n") + "\n" };
    file.parent()
        .map_or(Ok(()), private_files::create_folder)
        .and_then(|()| atomic_file::replace_private(&file, text.as_bytes()))
        .map_err(|error| fault::of_io("keep the results of tests", &error))
}

fn file(home: &Path, suite: &str) -> PathBuf {
    home.join("tests").join(format!("{}.jsonl", content_hash(suite.as_bytes())))
}
