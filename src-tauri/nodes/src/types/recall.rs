//! `recall`: finds something in the user's long-term memory.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_journal::CallEvent;
use plait_llm::long_term_memory::{
    DEFAULT_RECALLED, MAX_RECALLED, MemoryKind, Recall, RecallRequest, render,
};
use plait_run::node::{Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};

use super::subject::Subject;

pub(super) struct RecallNode;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// Only memories of these kinds. If empty, all.
    kinds: Vec<MemoryKind>,
    /// Maximum number of memories. If empty, 8.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u32>,
}

impl NodeType for RecallNode {
    type Config = Config;

    const TYPE: &'static str = "recall";
    const TITLE: &'static str = "Recall";
    const SUMMARY: &'static str = "Finds what the user's long-term memory has";
    const DESCRIPTION: &'static str = "Searches the **long-term memory** of the run's user by the words of `query` or, without \
        one, of the last output on the context edge. With neither, it takes the newest memories.\n\n\
        - `text`: the memories as a list, ready for a prompt; empty if nothing fits\n\
        - `memories`: the same as a list of `{id, kind, text, steps, at, source}`, the best first\n\n\
        The memories have 16 KB together at most. A run sees the memory of its own user alone. What *Remember* stores in the \
        same run is found if an edge leads from there to here.";
    const CATEGORY: Category = Category::Data;
    const ICON: &'static str = "brain";
    const TERMS: &'static [&'static str] =
        &["memory", "long-term", "search", "fact", "episode", "procedure", "user", "personal", "profile"];

    fn ports(_: &Config) -> Ports {
        Subject::ports("query", "the query", "What to look for")
            .output("text", PortKind::Data, PortType::Text, "The memories, ready for a prompt")
            .output("memories", PortKind::Data, PortType::List, "The memories, the best first")
            .error()
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        match config.limit {
            Some(limit) if !(1..=MAX_RECALLED).contains(&limit) => {
                vec![("/limit".to_owned(), format!("`limit` is a number from 1 to {MAX_RECALLED}."))]
            }
            _ => Vec::new(),
        }
    }

    fn card() -> Card {
        Card::new().line([CardPart::list("kinds")])
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("What is known about how the user travels")
                .config(json!({ "kinds": ["fact"], "limit": 4 }))
                .input("query", json!("How does the user travel?"))
                .outputs(Value::Null),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let query = Subject::read(&inputs, "query")?;
        let request = RecallRequest {
            query: query.text().trim().to_owned(),
            kinds: config.kinds.clone(),
            limit: config.limit.unwrap_or(DEFAULT_RECALLED),
        };
        let found = recall(request, &node_context).await?;
        node_context.add_origins(&found.origins());
        let mut output =
            NodeOutput::of("text", render(&found.memories)).with_list("memories", &found.memories)?;
        if found.more > 0 {
            output.extra.insert("more".to_owned(), found.more.into());
        }
        Ok(query.pass_context(output))
    }
}

/// What the user's memory has: as this activation journaled it, as the run that this one is forked from did, or as it is now.
async fn recall(request: RecallRequest, node_context: &NodeContext) -> Result<Arc<Recall>, Fault> {
    let recorded = node_context.find_recorded(|call| match call {
        CallEvent::MemoryRecalled { recall, .. } => Some(Arc::clone(recall)),
        _ => None,
    });
    if let Some(recall) = recorded {
        return Ok(recall);
    }
    let earlier = node_context.earlier().and_then(|run| run.recalled(&node_context.activation, &request));
    let (recall, reused) = if let Some((recall, event)) = earlier {
        (recall, Some(event))
    } else {
        if let Some(run) = node_context.earlier() {
            run.refuse_miss(&node_context.activation, None, || "What is recalled here".to_owned())?;
        }
        let found = node_context.host.memories.recall(&node_context.run.info.user, request).await?;
        (Arc::new(found), None)
    };
    node_context.record(CallEvent::MemoryRecalled { recall: Arc::clone(&recall), reused }).await?;
    Ok(recall)
}

#[cfg(test)]
mod tests;
