use super::*;
use crate::codes;
use TreeCount::{Events, ModelCalls, Runs};

#[test]
fn limits_of_the_flow_take_precedence_and_defaults_complete_them() {
    let flow = TreeLimits { max_runs: Some(3), ..TreeLimits::default() };
    let application = TreeLimits { max_runs: Some(9), max_model_calls: Some(7), ..TreeLimits::default() };
    let expected = TreeLimits { max_runs: Some(3), max_model_calls: Some(7), ..TreeLimits::default() };
    assert_eq!(flow.or(&application), expected);
    let account = TreeAccount::new(expected, TreeUsage::default());
    assert_eq!(account.limit(Events), TreeLimits::DEFAULT_MAX_EVENTS);
}

#[test]
fn usage_of_the_journals_counts() {
    let limits = TreeLimits {
        max_runs: Some(3),
        max_model_calls: Some(2),
        max_events: Some(10),
        ..TreeLimits::default()
    };
    let used = TreeUsage { runs: 2, model_calls: 1, events: 9 };
    let account = Arc::new(TreeAccount::new(limits, used));
    account.reserve(Runs).unwrap().settle();
    assert_eq!(account.reserve(Runs).unwrap_err().code, codes::RUN_TOO_MANY_RUNS);
    account.reserve(ModelCalls).unwrap().settle();
    assert_eq!(account.reserve(ModelCalls).unwrap_err().code, codes::RUN_TOO_MANY_MODEL_CALLS);
    account.check(Events).unwrap();
    account.charge(Events, 1);
    let fault = account.check(Events).unwrap_err();
    assert_eq!(fault.code, codes::RUN_TOO_MANY_EVENTS);
    assert_eq!(fault.details["setting"], "settings.limits.maxEvents");
}

#[test]
fn call_without_an_answer_does_not_count() {
    let limits = TreeLimits { max_model_calls: Some(1), ..TreeLimits::default() };
    let account = Arc::new(TreeAccount::new(limits, TreeUsage::default()));
    drop(account.reserve(ModelCalls).unwrap());
    account.reserve(ModelCalls).unwrap().settle();
    assert!(account.reserve(ModelCalls).is_err());
}
