//! Leaves every request body that a test's server receives in `target/tmp/provider-requests`, one file for each, named
//! by its hash. `cargo xtask test --only vendors` empties the directory, runs these tests and has the vendors' own
//! packages judge the bodies.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use serde_json::{Value, json};

/// Writes the body unless an equal one is there. `line` is the method and the path.
pub(crate) fn record(line: &str, body: &Value) {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("provider-requests");
    let mut hasher = DefaultHasher::new();
    (line, body.to_string()).hash(&mut hasher);
    let file = directory.join(format!("{:016x}.json", hasher.finish()));
    if file.exists() {
        return;
    }
    // A test's server runs on the thread of the test, which has its name.
    let thread = std::thread::current();
    let entry = json!({ "test": thread.name(), "line": line, "body": body });
    std::fs::create_dir_all(&directory).expect("the directory of recorded requests");
    // Other tests may write an equal body at the same time.
    let written = directory.join(format!("{:016x}.{}.tmp", hasher.finish(), std::process::id()));
    std::fs::write(&written, entry.to_string()).expect("a recorded request");
    std::fs::rename(&written, &file).expect("a recorded request in its place");
}
