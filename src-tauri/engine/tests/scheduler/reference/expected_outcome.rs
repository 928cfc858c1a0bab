//! The expected result of a run: the outcomes of all activations, and how the run ends.

use std::rc::Rc;

use super::interpreter::{Around, Common, Interpreter};
use super::scope_run::ScopeRun;
use super::{Expected, ExpectedEnd, FlowAnalysis, InputOverrides};
use crate::nodes::semantics::Script;

/// Computes the expected result. Nothing if it takes too long.
pub fn expect(flow: &FlowAnalysis, overrides: &InputOverrides, script: Script) -> Option<Expected> {
    let common = Rc::new(Common::default());
    let is_unbounded = |scope: &&FlowAnalysis| scope.nesting.cycles.iter().any(|cycle| cycle.bound.is_none());
    common.has_unbounded_cycle.set(flow.scopes().iter().any(is_unbounded));
    let mut interpreter = Interpreter::new(flow, overrides, script, Around::default(), Rc::clone(&common));
    let mut run = ScopeRun::of(&mut interpreter);
    let end = if !run.failures.is_empty() {
        ExpectedEnd::Failed { by: run.failures.into_iter().map(|(at, _)| at).collect() }
    } else if !run.waiting.is_empty() {
        ExpectedEnd::Waiting { on: run.waiting }
    } else {
        assert!(
            run.undecided == 0 || common.is_too_long.get() || run.contradiction.is_some(),
            "nothing fails and nothing waits, so everything is decided"
        );
        ExpectedEnd::Finished { outputs: interpreter.results() }
    };
    if common.is_too_long.get() {
        return None;
    }
    for (context, added) in run.writes {
        run.contexts.entry(context).or_default().extend(added);
    }
    Some(Expected {
        activations: run.activations,
        in_part: run.in_part,
        broken: run.broken,
        bodies: flow.document.bodies(),
        passed_over: run.passed_over,
        epochs: run.epochs.into_iter().collect(),
        exhausted: run.exhausted.into_iter().collect(),
        iterations: run.iterations,
        contexts: run.contexts,
        calls: run.calls,
        end,
        hit_unattended_bound: run.hit_unattended_bound,
        is_ambiguous: common.is_ambiguous.get(),
        contradiction: run.contradiction,
    })
}
