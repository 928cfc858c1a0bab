//! Whether a flow can run here, with the plan that shows it: a run that starts takes over the plan, so that a flow is bound and
//! analyzed once.

use std::fmt;
use std::sync::Arc;

use plait_core::config::{ConfigValues, with_settings};
use plait_core::diagnostic::{Diagnostic, Severity};
use plait_core::error::ErrorCode;
use plait_core::flow::Flow;
use plait_core::id::NodeId;
use plait_journal::InputOverrides;
use plait_run::node::{BoundNode, Registry};
use plait_run::plan::{BoundFlow, Plan, PlannedFlow, plan_bound};

use super::check::SubflowChecker;
use super::installed::Installed;
use super::never_runs::never_runs;
use crate::codes;

/// What [`never_runs`] reports.
pub(super) const NEVER_RUNS: [ErrorCode; 8] = [
    codes::TOOLS_UNKNOWN,
    codes::MCP_UNKNOWN_SERVER,
    codes::KNOWLEDGE_UNKNOWN,
    codes::PROVIDER_UNKNOWN,
    codes::MODEL_NONE,
    codes::PROVIDER_NOT_FOUND,
    codes::MEMORY_OFF,
    codes::IMPORT_PLACEHOLDER,
];

/// A flow that has a plan. It belongs to the flow as it was planned: who changes the flow drops it.
pub struct RunnableFlow {
    planned: PlannedFlow,
    /// The nodes that run other flows.
    callers: Vec<(NodeId, Arc<dyn BoundNode>)>,
    /// What it was planned with, beside the flow.
    config: ConfigValues,
    to: Option<NodeId>,
    overrides: InputOverrides,
}

impl fmt::Debug for RunnableFlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunnableFlow").field("nodes", &self.planned.plan.nodes.len()).finish_non_exhaustive()
    }
}

impl RunnableFlow {
    /// Checks that a flow can run here, and its sub-flows and what its nodes name unless it runs only to a node. Returns the errors.
    pub fn check(
        flow: &Flow,
        path: Option<&str>,
        registry: &Registry,
        installed: &Installed,
        to: Option<&NodeId>,
        overrides: &InputOverrides,
    ) -> Result<Self, Vec<Diagnostic>> {
        let runnable = Self::plan(flow, registry, &installed.config, to, overrides)?;
        let errors = runnable.problems(flow, path, registry, installed);
        if errors.is_empty() { Ok(runnable) } else { Err(errors) }
    }

    /// Plans a flow with what the settings `config` say. Returns the errors.
    pub(crate) fn plan(
        flow: &Flow,
        registry: &Registry,
        config: &ConfigValues,
        to: Option<&NodeId>,
        overrides: &InputOverrides,
    ) -> Result<Self, Vec<Diagnostic>> {
        let completed = with_settings(flow, config);
        let bound = BoundFlow::new(&completed, registry);
        let callers = bound.enabled_nodes().filter(|(_, node)| node.behavior().calls.is_some());
        let callers = callers.map(|(id, node)| (id.clone(), Arc::clone(node))).collect();
        let planned = plan_bound(bound, registry, to, overrides)?;
        Ok(Self { planned, callers, config: config.clone(), to: to.cloned(), overrides: overrides.clone() })
    }

    /// Why the flow, which is this one, cannot run here: what its sub-flows lack, and what its nodes name. Nothing of a flow that runs
    /// only to a node.
    pub(crate) fn problems(
        &self,
        flow: &Flow,
        path: Option<&str>,
        registry: &Registry,
        installed: &Installed,
    ) -> Vec<Diagnostic> {
        if self.to.is_some() {
            return Vec::new();
        }
        let completed = with_settings(flow, &self.config);
        let mut of_subflows = SubflowChecker::new(path, registry, installed);
        let mut errors = of_subflows.check_nodes(self.callers(), path).diagnostics;
        let ends_a_run = |code: &ErrorCode| code.domain() == "subflow" || NEVER_RUNS.contains(code);
        errors.retain(|found| ends_a_run(&found.code));
        let contexts = &self.planned.contexts;
        errors.extend(never_runs(&completed, contexts, registry, installed, &of_subflows.tools));
        errors.retain(|found| found.severity == Severity::Error);
        errors
    }

    /// The nodes that run other flows.
    pub(super) fn callers(&self) -> impl Iterator<Item = (&NodeId, &Arc<dyn BoundNode>)> {
        self.callers.iter().map(|(id, node)| (id, node))
    }

    /// Whether it was planned with these.
    pub(crate) fn is_of(
        &self,
        config: &ConfigValues,
        to: Option<&NodeId>,
        overrides: &InputOverrides,
    ) -> bool {
        (&self.config, self.to.as_ref(), &self.overrides) == (config, to, overrides)
    }

    pub(crate) fn into_plan(self) -> Plan {
        self.planned.plan
    }
}

#[cfg(test)]
mod tests;
