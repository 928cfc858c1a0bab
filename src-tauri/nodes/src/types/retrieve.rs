//! `retrieve`: searches knowledge bases.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::num::NonZeroU32;

use crate::codes;
use crate::model_call;
use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::needs::NodeNeed;
use plait_llm::retriever::{Knowledge, query_text};
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType,
};

use super::subject::Subject;

pub(super) struct Retrieve;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The names of the knowledge bases to search.
    #[schemars(extend("items" = { "type": "string", "format": "knowledgeBase" }))]
    bases: Vec<String>,
    /// A folder with documents to search, relative to the flow's file, for example `docs`.
    folder: String,
    /// Maximum tokens of the passages together. If empty, 2,000.
    max_tokens: Option<NonZeroU32>,
}

impl Config {
    fn knowledge(&self) -> Knowledge {
        Knowledge { bases: self.bases.clone(), folder: self.folder.clone(), max_tokens: self.max_tokens }
    }
}

impl NodeType for Retrieve {
    type Config = Config;

    const TYPE: &'static str = "retrieve";
    const TITLE: &'static str = "Retrieve";
    const SUMMARY: &'static str = "Finds passages in knowledge bases";
    const DESCRIPTION: &'static str = "Searches **knowledge bases**, or a **folder** beside the flow, for passages that fit a \
        query. The query is the value on `query`; without one, the last output on the context edge.\n\n\
        - `text`: the best passages with their sources, ready for a prompt; empty if nothing fits\n\
        - `chunks`: the same as a list of `{base, source, offset, length, line, score, tokens, text}`\n\
        - `leftOut`: what was found and does not fit **maxTokens**, or says the same as a better passage, with the reason\n\n\
        Files that changed since the last search are indexed first. Knowledge bases are added in the Knowledge panel or with \
        `plait knowledge add`. To give passages to a model, a *Chat* has a `knowledge` setting, too.";
    const CATEGORY: Category = Category::Data;
    const ICON: &'static str = "library";
    const TERMS: &'static [&'static str] = &[
        "rag",
        "retrieval",
        "knowledge",
        "search",
        "documents",
        "embedding",
        "vector",
        "index",
        "folder",
        "pdf",
        "markdown",
    ];

    fn ports(_: &Config) -> Ports {
        Subject::ports("query", "the query", "What to search for")
            .output("text", PortKind::Data, PortType::Text, "The passages, ready for a prompt")
            .output("chunks", PortKind::Data, PortType::List, "The passages, the best first")
            .output("leftOut", PortKind::Data, PortType::List, "What was found and is not used, and why")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::list("bases"), CardPart::text("folder")])
    }

    fn behavior(config: &Config) -> Behavior {
        let nothing = ("/bases", "The node names no knowledge base and no folder.");
        Behavior {
            needs: NodeNeed::of_documents(&config.folder),
            missing_setting: config.knowledge().is_empty().then_some(nothing),
            ..Behavior::default()
        }
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A search in the knowledge base `handbook`")
                .config(json!({ "bases": ["handbook"] }))
                .input("query", json!("How do I book a train?"))
                .outputs(Value::Null),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let knowledge = config.knowledge();
        if knowledge.is_empty() {
            return Err(Fault::new(
                codes::KNOWLEDGE_UNKNOWN,
                "The node names no knowledge base and no folder.",
            )
            .hint("Name a knowledge base in `bases`, or a folder beside the flow in `folder`."));
        }
        let subject = Subject::read(&inputs, "query")?;
        let query = query_text(&subject.text(), None);
        if query.is_empty() {
            return Err(Fault::new(codes::KNOWLEDGE_NO_QUERY, "There is nothing to search for.")
                .hint("Feed `query`, or put a `userInput` before this node on the context edge."));
        }
        let model = match &subject.handle {
            Some(handle) => node_context.context_manager(&handle.context_id)?.get().model.clone(),
            None => "".into(),
        };
        let found = match model_call::retrieve(&knowledge, || query, &model, &node_context).await {
            Ok(found) => found,
            Err(interruption) => return interruption.into_output(),
        };
        node_context.add_origins(&found.origins());
        let mut output = NodeOutput::new()
            .with("text", found.to_block())
            .with_list("chunks", &found.used)?
            .with_list("leftOut", &found.left_out)?;
        output.extra.insert("query".to_owned(), found.query.clone().into());
        Ok(subject.pass_context(output))
    }
}

#[cfg(test)]
mod tests;
