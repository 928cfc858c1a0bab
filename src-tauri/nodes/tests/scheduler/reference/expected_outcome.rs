//! The expected result of a run: the outcomes of all activations, and how the run ends.

use std::collections::BTreeMap;
use std::rc::Rc;

use plait_core::Value;
use plait_core::id::{NodeId, PortName};

use super::interpreter::{Around, Common, Interpreter};
use super::outcome::Write;
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
        ExpectedEnd::Finished { outputs: results(&run.writes) }
    };
    if common.is_too_long.get() {
        return None;
    }
    let memory = run.writes.iter().filter_map(Write::to_memory).cloned().collect();
    for write in run.writes {
        if let Write::Messages(context, added) = write {
            run.contexts.entry(context).or_default().extend(added);
        }
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
        memory,
        calls: run.calls,
        end,
        hit_unattended_bound: run.hit_unattended_bound,
        is_ambiguous: common.is_ambiguous.get(),
        contradiction: run.contradiction,
    })
}

/// The outputs of the run: of each port the last live value.
fn results(writes: &[Write]) -> BTreeMap<NodeId, BTreeMap<PortName, Value>> {
    let mut results: BTreeMap<NodeId, BTreeMap<PortName, Value>> = BTreeMap::new();
    for write in writes {
        if let Write::Result(node, outputs) = write
            && !outputs.is_empty()
        {
            results.entry(node.clone()).or_default().extend(outputs.clone());
        }
    }
    results
}
