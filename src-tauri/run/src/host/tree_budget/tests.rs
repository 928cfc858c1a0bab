use super::*;
use crate::codes;

#[test]
fn limits_of_the_flow_take_precedence_and_defaults_complete_them() {
    let flow = TreeLimits { max_runs: Some(3), ..TreeLimits::default() };
    let application = TreeLimits { max_runs: Some(9), max_model_calls: Some(7), max_events: None };
    let expected = TreeLimits { max_runs: Some(3), max_model_calls: Some(7), max_events: None };
    assert_eq!(flow.or(application), expected);
    assert_eq!(TreeBudget::new(expected, TreeUsage::default()).max_events, TreeLimits::DEFAULT_MAX_EVENTS);
}

#[test]
fn usage_of_the_journals_counts() {
    let limits = TreeLimits { max_runs: Some(3), max_model_calls: Some(2), max_events: Some(10) };
    let budget = TreeBudget::new(limits, TreeUsage { runs: 2, model_calls: 1, events: 9 });
    budget.add_run().unwrap();
    assert_eq!(budget.add_run().unwrap_err().code, codes::RUN_TOO_MANY_RUNS);
    budget.add_model_call().unwrap().keep();
    assert_eq!(budget.add_model_call().err().unwrap().code, codes::RUN_TOO_MANY_MODEL_CALLS);
    budget.check_events().unwrap();
    budget.add_events(1);
    let fault = budget.check_events().unwrap_err();
    assert_eq!(fault.code, codes::RUN_TOO_MANY_EVENTS);
    assert_eq!(fault.details["setting"], "settings.limits.maxEvents");
}

#[test]
fn call_without_an_answer_does_not_count() {
    let limits = TreeLimits { max_model_calls: Some(1), ..TreeLimits::default() };
    let budget = TreeBudget::new(limits, TreeUsage::default());
    drop(budget.add_model_call().unwrap());
    budget.add_model_call().unwrap().keep();
    assert!(budget.add_model_call().is_err());
}
