use plait_core::error::ErrorCode;

use super::*;

#[test]
fn exit_codes_match_the_help_text() {
    let codes = [
        ExitStatus::Success,
        ExitStatus::Failure,
        ExitStatus::Invalid,
        ExitStatus::Waiting,
        ExitStatus::Canceled,
    ]
    .map(ExitStatus::code);
    assert_eq!(codes, [0, 1, 2, 3, 130]);
}

#[test]
fn invalid_usage_is_distinguished_from_failure() {
    assert!(
        is_usage(&ErrorCode::from_wire("flow.not_found")) && is_usage(&ErrorCode::from_wire("run.ambiguous"))
    );
    assert!(
        !is_usage(&ErrorCode::from_wire("store.locked"))
            && !is_usage(&ErrorCode::from_wire("flow.disk_full"))
            && !is_usage(&ErrorCode::from_wire("provider.unreachable"))
    );
}

#[test]
fn error_has_each_cause_and_the_hint_on_a_line() {
    let child =
        Fault::new(codes::APP_INTERNAL, "It failed.").caused_by(Cause::of(&io::Error::other("status 429")));
    let error =
        Fault::new(codes::USAGE_INPUT, "The sub-flow failed.").hint("Open it.").caused_by(child.into());
    let text = error_text(&error.into());
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(
        lines,
        ["  caused by: It failed. [app.internal]", "  caused by: status 429", "  help: Open it."]
    );
}

#[test]
fn finding_that_the_message_says_is_printed_once() {
    let found = ["It is empty.", "It is too long."]
        .map(|message| Diagnostic::error(codes::USAGE_INPUT, "/cases/0", message));
    let error = ErrorReply::new(codes::USAGE_INPUT, "a.tests.yaml:1:2: It is empty. (and 1 more)");
    let text = error_text(&error.diagnostics(&found));
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(lines, ["  usage.input at /cases/0: It is too long."]);
    // The message of another error does not say where it is.
    let error = ErrorReply::new(codes::APP_INTERNAL, "This flow can't run: It is empty.");
    assert_eq!(error_text(&error.diagnostics(&found[..1])).matches("It is empty.").count(), 2);
}
