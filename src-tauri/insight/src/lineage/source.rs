//! Where texts begin.

use plait_core::id::{NodeId, RunId};
use plait_core::origin::Origin;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where a text began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum LineageSource {
    /// The flow: a setting of a node, by its pointer.
    Flow {
        node: NodeId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        setting: Option<String>,
    },
    /// A setting of a node that a person tried while a debugger held the run, by its pointer.
    Trial { node: NodeId, setting: String },
    File {
        path: String,
        /// The line on which the text begins, from 1.
        #[ts(type = "number")]
        line: usize,
    },
    /// A request of a URL.
    Url { url: String },
    /// A passage of a document in a knowledge base.
    Passage {
        base: String,
        /// The file, relative to the folder of the base.
        document: String,
        /// The line on which the text begins, from 1.
        #[ts(type = "number")]
        line: usize,
    },
    /// A person answered a question.
    Answer { question: String },
    /// A person gave it to the run when it started.
    RunInput,
    /// A person put it in place of another value, while a debugger held the run.
    Changed,
    /// The pin of a node, which was not executed.
    Pin {
        node: NodeId,
        /// The run that the pinned values were taken from. Without one, a person typed them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        run: Option<RunId>,
    },
    /// The user's long-term memory.
    Memory { id: String },
    /// An earlier run of the conversation said it.
    Conversation { conversation: String },
    /// A place outside of the run, as the labels of the value name it.
    Origin {
        #[ts(type = "string")]
        origin: Origin,
    },
    /// Plait wrote it: a heading, a label, a count, an error.
    Engine,
    /// The journal does not say.
    Unknown,
}
