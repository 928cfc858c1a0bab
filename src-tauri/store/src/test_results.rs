//! What came of the tests of each suite when they were last run: one line of JSON for each run of a case, appended when it has ended. A
//! copy of what the tests said: losing it costs running them again. And the grades that people gave to results, which are only appended:
//! no run of tests touches them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use plait_core::hash::content_hash;
use serde_json::Value;

use crate::{atomic_file, fault, private_files};

/// Adds a result of the suite with this path.
pub(crate) fn add(home: &Path, suite: &str, result: &Value) -> Result<(), Fault> {
    append(&file(home, suite), result)
        .map(drop)
        .map_err(|error| fault::of_io("keep the result of a test", &error))
}

/// The results of a suite, in the order in which they were added. A line that is torn or damaged is left out.
pub(crate) fn all(home: &Path, suite: &str) -> Result<Vec<Value>, Fault> {
    lines(&file(home, suite)).map_err(|error| fault::of_io("read the results of tests", &error))
}

/// Adds a grade of a result of the suite with this path. It survives a crash of the system.
pub(crate) fn add_grade(home: &Path, suite: &str, grade: &Value) -> Result<(), Fault> {
    append(&grades_file(home, suite), grade)
        .and_then(|file| file.sync_data())
        .map_err(|error| fault::of_io("keep a grade", &error))
}

/// The grades of results of a suite, in the order in which they were given.
pub(crate) fn grades(home: &Path, suite: &str) -> Result<Vec<Value>, Fault> {
    lines(&grades_file(home, suite)).map_err(|error| fault::of_io("read the grades of tests", &error))
}

fn append(file: &Path, line: &Value) -> io::Result<File> {
    if let Some(folder) = file.parent() {
        private_files::create_folder(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true).read(true);
    private_files::set_mode(&mut options);
    let mut file = options.open(file)?;
    // Behind a line that a crash has torn, the next one begins on its own.
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let start = if last == [b'\n'] { "" } else { "\n" };
    file.write_all(format!("{start}{line}\n").as_bytes())?;
    Ok(file)
}

fn lines(file: &Path) -> io::Result<Vec<Value>> {
    match fs::read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => {
            let bytes = read?;
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

fn grades_file(home: &Path, suite: &str) -> PathBuf {
    home.join("tests").join(format!("{}.grades.jsonl", content_hash(suite.as_bytes())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn grades_outlive_results_and_torn_lines() {
        let home = tempfile::tempdir().unwrap();
        let (home, suite) = (home.path(), "/a.tests.yaml");
        add(home, suite, &json!("result")).unwrap();
        add_grade(home, suite, &json!("first")).unwrap();
        fs::OpenOptions::new()
            .append(true)
            .open(grades_file(home, suite))
            .unwrap()
            .write_all(b"{\"torn")
            .unwrap();
        add_grade(home, suite, &json!("second")).unwrap();
        put(home, suite, &[]).unwrap();
        assert_eq!(all(home, suite).unwrap(), Vec::<Value>::new());
        assert_eq!(grades(home, suite).unwrap(), [json!("first"), json!("second")]);
    }
}
