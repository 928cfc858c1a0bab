//! Parts of queries, in the language of jq.

use std::fmt::Write as _;

use serde_json::json;

/// The path to a value.
pub(super) fn path(steps: &[String]) -> String {
    let mut path = ".".to_owned();
    for (index, step) in steps.iter().enumerate() {
        let is_index =
            index > 0 && !step.is_empty() && step.len() < 10 && step.bytes().all(|one| one.is_ascii_digit());
        if is_index {
            let _ = write!(path, "[{step}]");
        } else {
            let _ = write!(path, "[{}]", json!(step));
        }
    }
    path
}
