use std::error::Error;
use std::io;

use serde_json::{from_str, to_string};

use super::{Cause, ErrorCode, Fault};
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

/// An error with the message and the source.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failed(&'static str, #[source] io::Error);

fn refused() -> Failed {
    Failed("tcp connect error", io::Error::other("Connection refused"))
}

#[test]
fn a_fault_keeps_the_sources_of_its_cause_in_json() {
    let fault = Fault::new(codes::ANSWER_INVALID, "It can't be reached.").caused_by(Cause::of(&refused()));
    let read: Fault = from_str(&to_string(&fault).unwrap()).unwrap();
    assert_eq!(read, fault);
    let cause = read.source().expect("a cause");
    assert_eq!(cause.to_string(), "tcp connect error");
    assert_eq!(cause.source().expect("its source").to_string(), "Connection refused");
}

#[test]
fn a_cause_that_the_message_quotes_is_left_out() {
    let quoting = |message: &str| {
        let fault = Fault::new(codes::ANSWER_INVALID, message).caused_by(Cause::of(&refused()));
        fault
            .cause
            .iter()
            .flat_map(|cause| cause.chain())
            .map(|cause| cause.message.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(quoting("It failed (Connection refused)."), ["tcp connect error"]);
    assert_eq!(quoting("A tcp connect error: Connection refused."), Vec::<String>::new());
}

#[test]
fn a_source_that_its_error_repeats_is_named_once() {
    let error = Failed("cannot read: no such file", io::Error::other("no such file"));
    let cause = Cause::of(&error);
    assert_eq!(cause.chain().count(), 1);
}
