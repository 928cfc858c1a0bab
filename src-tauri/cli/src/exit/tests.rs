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
