//! Which agents a raised pipeline has: the ones that it had, changed where all of their steps changed alike, and settings of their
//! own for other steps.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::pipeline::tree::Tree;

/// The agents that a pipeline has already, which steps go on to refer to.
#[derive(Default)]
pub(in crate::pipeline) struct KnownAgents {
    /// Their settings by name.
    pub(in crate::pipeline) settings: Vec<(String, Tree)>,
    /// Which step refers to which.
    pub(in crate::pipeline) by_step: BTreeMap<String, String>,
}

/// Stands for the agent of a step.
pub(super) const AGENT_PLACEHOLDER: &str = "agent";

/// Which agents the document has, and for each step a name or settings.
pub(super) fn name_agents(
    known: &KnownAgents,
    of_steps: &BTreeMap<String, Tree>,
    summarizers: &BTreeMap<String, Tree>,
) -> (Vec<(String, Tree)>, BTreeMap<String, Tree>) {
    let mut agents = known.settings.clone();
    for (name, settings) in summarizers {
        match agents.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.clone_from(settings),
            None => agents.push((name.clone(), settings.clone())),
        }
    }
    for (name, settings) in &mut agents {
        if summarizers.contains_key(name) {
            continue;
        }
        // Where all steps of an agent changed in the same way, the agent changed.
        let users = known.by_step.iter().filter(|(_, agent)| *agent == name).map(|(step, _)| step);
        let mut found = users.filter_map(|step| of_steps.get(step));
        if let Some(first) = found.next()
            && found.all(|other| other == first)
        {
            settings.clone_from(first);
        }
    }
    let mut by_step = BTreeMap::new();
    for (step, settings) in of_steps {
        let name = known.by_step.get(step);
        let is_named =
            name.filter(|name| agents.iter().any(|(known, agent)| known == *name && agent == settings));
        match is_named {
            Some(name) => drop(by_step.insert(step.clone(), Tree::Leaf(name.as_str().into()))),
            None if settings.entries().is_empty() => {}
            None => drop(by_step.insert(step.clone(), settings.clone())),
        }
    }
    (agents, by_step)
}

pub(super) fn with_agents(step: Tree, agents: &BTreeMap<String, Tree>) -> Tree {
    let name = step.name().map(str::to_owned);
    match step {
        Tree::Map(entries) => {
            let is_placeholder =
                |key: &str, value: &Tree| key == AGENT_PLACEHOLDER && *value == Tree::Leaf(Value::Null);
            let agent = name.as_deref().and_then(|name| agents.get(name));
            let entries = entries.into_iter().filter_map(|(key, value)| {
                let value =
                    if is_placeholder(&key, &value) { agent?.clone() } else { with_agents(value, agents) };
                Some((key, value))
            });
            Tree::Map(entries.collect())
        }
        Tree::Steps(steps) => Tree::Steps(steps.into_iter().map(|step| with_agents(step, agents)).collect()),
        leaf @ Tree::Leaf(_) => leaf,
    }
}
