//! Agents as nodes: a step as a `chat` with its context, tools and servers; a summarizer as a `chat` without edges.

use super::nodes::{CHAT_KEYS, chat_config, context_node, retry_policy, server_node, tools_node};
use super::{CONTEXT_SUFFIX, Lowering, Source, TOOLS_SUFFIX, server_id};
use crate::pipeline::document::{Agent, AgentRef, AgentStep, StepQuota};
use crate::pipeline::layout::{Block, Layout};
use crate::pipeline::steps::{Step, StepKind};
use crate::pipeline::yaml::below;
use plait_core::expression::template::Template;
use plait_core::flow::{Limits, Node};
use plait_core::id::NodeId;

/// The settings of a context by the keys of its agent.
const CONTEXT_KEYS: [(&str, &str); 3] =
    [("provider", "provider"), ("model", "model"), ("systemInstructions", "system_prompt")];

impl Lowering<'_> {
    pub(super) fn agent_step(&mut self, step: &Step, own: &AgentStep, previous: &Source) -> (Source, Block) {
        let (agent, agent_pointer) = match &own.agent {
            None => (Agent::default(), below(&step.pointer, "agent")),
            Some(AgentRef::Inline(agent)) => (Agent::clone(agent), below(&step.pointer, "agent")),
            Some(AgentRef::Name(name)) => {
                (self.pipeline.agent(name).cloned().unwrap_or_default(), below("/agents", name))
            }
        };
        let context = format!("{}{CONTEXT_SUFFIX}", step.name);
        let is_structured = agent.response_schema.is_some();
        self.add(&context, context_node(&agent));
        self.edge(&context, "context", &step.name, "context");
        for (key, place) in CONTEXT_KEYS {
            let place = below(&agent_pointer, place);
            self.source_map.add(&format!("/nodes/{context}/config/{key}"), &place);
        }
        self.source_map.add(&format!("/nodes/{context}"), &step.pointer);

        let mut config = chat_config(&agent);
        for (key, place) in CHAT_KEYS {
            self.source_map.add(&format!("/nodes/{}/config/{key}", step.name), &below(&agent_pointer, place));
        }
        for (key, value) in &own.config {
            config.insert(key.clone(), value.clone());
            let place = below(&below(&step.pointer, "config"), key);
            self.source_map.add(&format!("/nodes/{}/config/{key}", step.name), &place);
        }
        if let Some(prompt) = &own.prompt {
            config.insert("prompt".to_owned(), prompt.as_str().into());
        }
        if let Some(use_history) = own.use_history {
            config.insert("use_history".to_owned(), use_history.into());
        }
        if let Some(pinned) = own.pinned {
            config.insert("pinned".to_owned(), pinned.into());
        }
        self.source_map.add(&format!("/nodes/{}/config", step.name), &step.pointer);
        let mut chat = Node { node_type: "chat".to_owned(), config, ..Node::default() };
        chat.title = Some(own.title.clone().unwrap_or_else(|| step.name.clone()));
        let quota = own.quota.as_ref().map(StepQuota::to_quota);
        chat.limits = Limits { timeout_ms: own.timeout_ms, quota, ..Limits::default() };
        for (limit, key) in [("quota", "quota"), ("timeoutMs", "timeout_ms")] {
            self.source_map.add(&format!("/nodes/{}/limits/{limit}", step.name), &below(&step.pointer, key));
        }
        chat.retry = own.retry.as_ref().map(retry_policy);
        self.add(&step.name, chat);

        let variables = own.prompt.as_deref().map(Template::new);
        let takes_message =
            variables.iter().flat_map(Template::variables).any(|variable| variable.name == "message");
        let port = if previous.is_list && !takes_message { "data" } else { "message" };
        self.edge(previous.node.as_str(), &previous.text, &step.name, port);
        if let Some(template) = &variables {
            self.variables(step, template, previous, "message");
        }
        let mut column = vec![Layout::card(&context), Layout::card(&step.name)];
        column.extend(self.tools_of(step, &agent, &agent_pointer));
        let value = if is_structured { "structured" } else { "response" };
        let output = Source {
            node: step.name.as_str().into(),
            text: "response".to_owned(),
            value: value.to_owned(),
            is_list: false,
        };
        (output, Layout::in_a_column(column))
    }

    /// The nodes of an agent's tools and servers, connected to its step.
    fn tools_of(&mut self, step: &Step, agent: &Agent, agent_pointer: &str) -> Vec<Block> {
        let mut cards = Vec::new();
        if let Some(tools) = tools_node(agent) {
            let id = format!("{}{TOOLS_SUFFIX}", step.name);
            self.add(&id, tools);
            self.edge(&id, "tools", &step.name, "tools");
            let key = if agent.tools.is_some() { "tools" } else { "http_tools" };
            self.source_map.add(&format!("/nodes/{id}"), &below(agent_pointer, key));
            for (setting, key) in [("tools", "tools"), ("http", "http_tools")] {
                self.source_map.add(&format!("/nodes/{id}/config/{setting}"), &below(agent_pointer, key));
            }
            cards.push(Layout::card(&id));
        }
        for (index, server) in agent.mcp_servers.iter().flatten().enumerate() {
            let id = server_id(&step.name, index);
            self.add(&id, server_node(server));
            self.edge(&id, "tools", &step.name, "tools");
            let place = below(&below(agent_pointer, "mcp_servers"), index);
            self.source_map.add(&format!("/nodes/{id}"), &place);
            for (setting, key) in [("sendContext", "send_context"), ("policy/timeoutMs", "policy/timeout_ms")]
            {
                self.source_map.add(&format!("/nodes/{id}/config/{setting}"), &format!("{place}/{key}"));
            }
            self.source_map.add(&format!("/nodes/{id}/config"), &place);
            cards.push(Layout::card(&id));
        }
        cards
    }

    /// Agents that summarize: a `chat` without edges, which the loop takes as a template.
    pub(super) fn summarizers(&mut self) -> Block {
        let mut names = Vec::new();
        collect_summarizers(&self.pipeline.steps, &mut names);
        names.sort_unstable();
        names.dedup();
        let mut blocks = Vec::new();
        for name in names {
            let Some(agent) = self.pipeline.agent(name) else { continue };
            let mut config = chat_config(agent);
            let own = [
                ("overrideProvider", agent.provider.as_deref()),
                ("overrideModel", agent.model.as_deref()),
                ("prompt", agent.system_prompt.as_deref()),
            ];
            config.extend(own.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.into()))));
            let place = below("/agents", name);
            for (key, own) in
                [("overrideProvider", "provider"), ("overrideModel", "model"), ("prompt", "system_prompt")]
            {
                self.source_map.add(&format!("/nodes/{name}/config/{key}"), &below(&place, own));
            }
            for (key, own) in CHAT_KEYS {
                self.source_map.add(&format!("/nodes/{name}/config/{key}"), &below(&place, own));
            }
            self.source_map.add(&format!("/nodes/{name}"), &place);
            let mut chat = Node { node_type: "chat".to_owned(), config, ..Node::default() };
            chat.title = Some(name.to_owned());
            self.flow.nodes.insert(name.into(), chat);
            blocks.push(Layout::card(name));
        }
        Layout::in_a_row(blocks)
    }
}

fn collect_summarizers<'s>(steps: &'s [Step], names: &mut Vec<&'s str>) {
    for step in steps {
        match &step.kind {
            StepKind::Loop { settings, body, .. } => {
                names.extend(settings.history_management.summarizer_agent.as_ref().map(NodeId::as_str));
                collect_summarizers(body, names);
            }
            StepKind::Parallel(_, branches) | StepKind::Conditional(_, branches) => {
                for branch in branches {
                    collect_summarizers(&branch.steps, names);
                }
            }
            StepKind::Agent(_) | StepKind::Hitl(_) => {}
        }
    }
}
