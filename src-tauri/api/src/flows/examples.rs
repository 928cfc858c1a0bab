//! `flow.examples` and `flow.example`: the example flows, embedded in the binary for `plait run hello` and for the empty
//! canvas of the editor.
use plait_core::flow;
use plait_core::flow::Flow;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::service::FlowService;
use crate::ErrorReply;
use crate::codes;
use crate::command::Command;

macro_rules! examples {
    ($($id:literal),* $(,)?) => {
        /// The IDs of the example flows, simplest first.
        pub const IDS: &[&str] = &[$($id),*];

        /// The text of an example flow's file, if there is one with this ID.
        pub fn text(id: &str) -> Option<&'static str> {
            match id {
                $($id => Some(include_str!(concat!("../../../../examples/", $id, ".flow.json"))),)*
                _ => None,
            }
        }
    };
}

examples![
    "hello",
    "chat-loop",
    "tool-brief",
    "second-opinion",
    "sort-letters",
    "order-form",
    "approval",
    "branch-and-join",
    "error-handling",
    "draft-and-critique",
    "headline",
    "sub-flows",
    "long-conversation",
    "named-sources",
    "history-template",
];

/// The example flow with this ID. `flow.unknown_example` when there is none.
pub fn flow(id: &str) -> Result<Flow, ErrorReply> {
    let text = text(id).ok_or_else(|| {
        ErrorReply::new(codes::FLOW_UNKNOWN_EXAMPLE, format!("There is no example flow `{id}`."))
            .hint(format!("The examples are: {}.", IDS.join(", ")))
    })?;
    flow::read(text).map_err(|error| {
        ErrorReply::new(
            error.diagnostic.code.clone(),
            format!("The example flow `{id}`: {}", error.diagnostic.message),
        )
    })
}

/// `flow.examples`: the example flows, simplest first.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListExamples {}

/// An example flow, as lists show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ExampleFlow {
    /// What `flow.example` and `plait run` call it.
    pub id: String,
    /// The flow's name.
    pub title: String,
    /// What it demonstrates, in Markdown.
    pub description: String,
}

impl Command for ListExamples {
    const NAME: &'static str = "flow.examples";
    type Service = FlowService;
    type Reply = Vec<ExampleFlow>;

    async fn run(self, _service: &FlowService) -> Result<Vec<ExampleFlow>, ErrorReply> {
        let example = |id: &&str| {
            let flow = flow(id)?;
            Ok(ExampleFlow { id: (*id).to_owned(), title: flow.name, description: flow.description })
        };
        IDS.iter().map(example).collect()
    }
}

/// `flow.example`: an example flow. `flow.unknown_example` when there is none with this ID.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct OpenExample {
    /// The ID of the example flow.
    pub id: String,
}

impl Command for OpenExample {
    const NAME: &'static str = "flow.example";
    type Service = FlowService;
    type Reply = Flow;

    async fn run(self, _service: &FlowService) -> Result<Flow, ErrorReply> {
        flow(&self.id)
    }
}
