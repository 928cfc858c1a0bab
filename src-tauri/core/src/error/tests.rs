use serde_json::{from_str, to_string};

use super::ErrorCode;
use crate::codes;

#[test]
fn a_code_is_read_as_it_was_declared() {
    let json = to_string(&codes::ANSWER_INVALID).unwrap();
    assert_eq!(json, "\"answer.invalid\"");
    assert_eq!(from_str::<ErrorCode>(&json).unwrap(), codes::ANSWER_INVALID);
}

#[test]
fn a_code_that_nobody_declares_survives_json() {
    let code: ErrorCode = from_str("\"plugin.failed\"").unwrap();
    assert_eq!(code, ErrorCode::from_wire("plugin.failed"));
    assert_eq!(to_string(&code).unwrap(), "\"plugin.failed\"");
}
