//! `remember`: stores something in the user's long-term memory.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use plait_core::config::Unused;
use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_core::port::{PortKind, PortType, Ports};
use plait_journal::CallEvent;
use plait_llm::long_term_memory::{
    MAX_REMEMBERED_AT_ONCE, MemoryContent, MemoryKind, MemoryRecord, MemorySource,
};
use plait_run::node::{
    Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Surroundings,
};

use super::subject::Subject;
use crate::codes;

pub(super) struct Remember;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// What kind of memory it is: a statement, what happened today, or how to do something.
    #[schemars(extend("x-rank" = 0))]
    kind: MemoryKind,
    /// The name of a procedure, if the value is the list of its steps.
    #[schemars(extend("x-rank" = 1, "x-shown-if" = { "kind": "procedure" }))]
    name: String,
}

impl NodeType for Remember {
    type Config = Config;

    const TYPE: &'static str = "remember";
    const TITLE: &'static str = "Remember";
    const SUMMARY: &'static str = "Stores something in the user's long-term memory";
    const DESCRIPTION: &'static str = "Stores what is on `value`, or else the last output on the context edge, in the \
        **long-term memory** of the run's user. Later runs of any flow find it with *Recall*.\n\n\
        - **fact**: a statement, such as `Prefers trains to planes`\n\
        - **episode**: a summary of what happened; it gets the date\n\
        - **procedure**: a name and steps: `{\"text\": \"Book a trip\", \"steps\": [\"Ask for the date\", …]}`, or a list of \
        steps while **name** is set\n\n\
        A list stores several memories, at most 32; each item is a text or an object with `text`, `kind` and `steps`. Nothing \
        is stored twice when a run is resumed or retried. The Memory panel and `plait memory` show, correct and erase what is \
        stored.";
    const CATEGORY: Category = Category::Data;
    const ICON: &'static str = "brain";
    const TERMS: &'static [&'static str] =
        &["memory", "long-term", "store", "save", "fact", "episode", "procedure", "user", "learn", "note"];

    fn ports(_: &Config) -> Ports {
        Subject::ports("value", "stored", "What to store")
            .output("memories", PortKind::Data, PortType::List, "What was stored")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("kind"), CardPart::text("name")])
    }

    fn unused(config: &Config, _: &Surroundings<'_>) -> Vec<Unused> {
        let reason = "only a procedure has a name";
        let is_procedure = config.kind == MemoryKind::Procedure;
        let unused = (!is_procedure).then(|| Unused::new("/name", reason, "set `kind: procedure`"));
        unused.into_iter().collect()
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A fact about the user")
                .config(json!({ "kind": "fact" }))
                .input("value", json!("Prefers trains to planes."))
                .outputs(Value::Null),
            Example::new("A procedure from its steps")
                .config(json!({ "kind": "procedure", "name": "Book a trip" }))
                .input("value", json!(["Ask for the date", "Search for trains", "Ask before booking"]))
                .outputs(Value::Null),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let subject = Subject::read(&inputs, "value")?;
        let Some(value) = subject.value() else {
            return Err(Fault::new(codes::MEMORY_EMPTY, "There is nothing to remember.")
                .hint("Feed `value`, or put a node with an output before this one on the context edge."));
        };
        let contents = read_contents(config, value)?;
        let memories = remember(contents, &node_context).await?;
        Ok(subject.pass_context(NodeOutput::new().with_list("memories", &memories)?))
    }
}

/// The memories that a value describes.
fn read_contents(config: &Config, value: &Value) -> Result<Vec<MemoryContent>, Fault> {
    let contents = match value {
        Value::Array(steps) if config.kind == MemoryKind::Procedure && !config.name.trim().is_empty() => {
            let steps = steps.iter().map(as_text).collect();
            vec![MemoryContent { kind: config.kind, text: config.name.clone(), steps }]
        }
        Value::Array(items) => {
            if items.len() > MAX_REMEMBERED_AT_ONCE {
                let message = format!(
                    "The list has {} items; {MAX_REMEMBERED_AT_ONCE} can be stored at once.",
                    items.len()
                );
                return Err(Fault::new(codes::MEMORY_TOO_LONG, message)
                    .hint("Summarize them, or store them in several steps."));
            }
            items.iter().map(|item| read_content(config, item)).collect::<Result<_, _>>()?
        }
        value => vec![read_content(config, value)?],
    };
    contents.into_iter().map(MemoryContent::checked).collect()
}

fn read_content(config: &Config, value: &Value) -> Result<MemoryContent, Fault> {
    let Value::Object(object) = value else {
        return Ok(MemoryContent { kind: config.kind, text: as_text(value), steps: Vec::new() });
    };
    if !object.contains_key("text") {
        // Any other object is a fact like any other value.
        return Ok(MemoryContent { kind: config.kind, text: as_text(value), steps: Vec::new() });
    }
    let content = MemoryContent::deserialize(value).map_err(|error| {
        Fault::new(codes::INPUT_TYPE, format!("The value on `value` is no memory: {error}."))
            .hint("Give a text, or an object with `text` and, for a procedure, `steps`.")
    })?;
    let kind = if object.contains_key("kind") { content.kind } else { config.kind };
    Ok(MemoryContent { kind, ..content })
}

/// Stores memories: journaled first, then stored under ids that follow from the activation. A node that executes again, in this
/// run or in a fork of it, stores the same memories under the same ids, which changes nothing.
async fn remember(
    contents: Vec<MemoryContent>,
    node_context: &NodeContext,
) -> Result<Arc<Vec<MemoryRecord>>, Fault> {
    let recorded = node_context.find_recorded(|call| match call {
        CallEvent::MemoryRemembered { memories, .. } => Some(Arc::clone(memories)),
        _ => None,
    });
    let memories = if let Some(memories) = recorded {
        memories
    } else {
        let activation = &node_context.activation;
        let earlier = node_context.earlier().and_then(|run| run.remembered(activation, &contents));
        let (memories, reused) = if let Some((memories, event)) = earlier {
            (memories, Some(event))
        } else {
            if let Some(run) = node_context.earlier() {
                run.refuse_miss(activation, None, || "What is stored here".to_owned())?;
            }
            (Arc::new(to_records(contents, node_context)), None)
        };
        let event = CallEvent::MemoryRemembered { memories: Arc::clone(&memories), reused };
        node_context.record(event).await?;
        memories
    };
    node_context.host.memories.remember(&node_context.run.info.user, memories.to_vec()).await?;
    Ok(memories)
}

fn to_records(contents: Vec<MemoryContent>, node_context: &NodeContext) -> Vec<MemoryRecord> {
    let (activation, run) = (&node_context.activation, &node_context.run.info);
    let source = MemorySource {
        flow: Some(run.flow_name.clone()),
        run: Some(run.run.clone()),
        node: Some(activation.node.clone()),
    };
    let (at, origins) = (node_context.host.clock.now_ms(), node_context.origins());
    let records = contents.into_iter().enumerate().map(|(ordinal, content)| {
        // As JSON, so that different parts never produce the same text.
        let key = json!([run.run, activation.node, activation.epoch, ordinal]).to_string();
        MemoryRecord { origins: origins.clone(), ..MemoryRecord::of_run(&key, content, source.clone(), at) }
    });
    records.collect()
}

#[cfg(test)]
mod tests;
