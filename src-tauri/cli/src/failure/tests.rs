use super::*;

#[test]
fn exit_codes_are_those_of_the_manual() {
    let codes = [Ending::Finished, Ending::Failed, Ending::Invalid, Ending::Waiting, Ending::Cancelled]
        .map(Ending::code);
    assert_eq!(codes, [0, 1, 2, 3, 130]);
}

#[test]
fn usage_is_told_from_trouble() {
    assert!(is_usage("flow.not_found") && is_usage("run.ambiguous"));
    assert!(!is_usage("store.locked") && !is_usage("flow.disk_full") && !is_usage("provider.unreachable"));
}
