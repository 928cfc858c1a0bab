//! `flow.check`, `flow.new` and the embedded examples. Nothing here touches a file.

use plait_engine::flow::Flow;
use plait_engine::plan::CheckedFlow;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::command::Command;
use crate::flows::check_tree;
use crate::flows::examples;
use crate::{ErrorReply, Plait, blocking};

/// `flow.check`: what is to be said about a flow. Runs nothing.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct CheckFlow {
    /// The flow.
    pub flow: Flow,
    /// Its file, if it has one: the flows it calls are looked for beside it.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
}

impl Command for CheckFlow {
    const NAME: &'static str = "flow.check";
    type Reply = CheckedFlow;

    async fn run(self, app: &Plait) -> Result<CheckedFlow, ErrorReply> {
        let registry = app.registry_handle();
        // A flow of a million nodes takes seconds: off the async threads.
        blocking(move || Ok(check_tree(&self.flow, self.path.as_deref(), &registry))).await
    }
}

/// `flow.new`: an empty flow of the current version.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct NewFlow {}

impl Command for NewFlow {
    const NAME: &'static str = "flow.new";
    type Reply = Flow;

    async fn run(self, _app: &Plait) -> Result<Flow, ErrorReply> {
        Ok(Flow { name: "Untitled".to_owned(), ..Flow::default() })
    }
}

/// `flow.examples`: the example flows, simplest first.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListExamples {}

/// An example flow, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ExampleFlow {
    /// What `flow.example` and `plait run` call it.
    pub id: String,
    /// Its name.
    pub title: String,
    /// What it shows, in Markdown.
    pub description: String,
}

impl Command for ListExamples {
    const NAME: &'static str = "flow.examples";
    type Reply = Vec<ExampleFlow>;

    async fn run(self, _app: &Plait) -> Result<Vec<ExampleFlow>, ErrorReply> {
        examples::IDS
            .iter()
            .map(|&id| {
                let flow = examples::flow(id)?;
                Ok(ExampleFlow { id: id.to_owned(), title: flow.name, description: flow.description })
            })
            .collect()
    }
}

/// `flow.example`: one of them; `flow.unknown_example` when there is none of that id.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct OpenExample {
    /// Its id.
    pub id: String,
}

impl Command for OpenExample {
    const NAME: &'static str = "flow.example";
    type Reply = Flow;

    async fn run(self, _app: &Plait) -> Result<Flow, ErrorReply> {
        examples::flow(&self.id)
    }
}
