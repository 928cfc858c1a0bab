//! The first event of a run.

use std::sync::Arc;

use plait_core::id::RunId;
use plait_core::origin::Origins;
use plait_core::user::UserName;
use plait_journal::{Event, FlowRef, InputOverrides, ReplySource, RunEvent};
use plait_llm::context::ConversationRef;

/// How a run starts. What it does not name is absent.
#[derive(Clone, Debug)]
pub struct RunStart {
    pub run: RunId,
    pub flow: FlowRef,
    pub set: InputOverrides,
    pub parent_run_id: Option<RunId>,
    pub conversation: Option<Arc<ConversationRef>>,
}

impl RunStart {
    /// A run of a flow that is in no file.
    pub fn new(run: impl Into<RunId>) -> Self {
        Self {
            run: run.into(),
            flow: FlowRef { name: "flow".to_owned(), path: None, hash: "0".repeat(64) },
            set: InputOverrides::new(),
            parent_run_id: None,
            conversation: None,
        }
    }
}

impl From<RunStart> for Event {
    fn from(start: RunStart) -> Self {
        let RunStart { run, flow, set, parent_run_id, conversation } = start;
        Self::Run(RunEvent::Started {
            run,
            revision: 1,
            user: UserName::default(),
            from: None,
            replies: ReplySource::Earlier,
            flow: Box::new(flow),
            program: None,
            to: None,
            input: None,
            set: Arc::new(set),
            pins: Vec::new(),
            ignores_pins: false,
            origins: Origins::NONE,
            parent_run_id,
            conversation,
            grants: None,
            models: Arc::default(),
            config: Arc::default(),
        })
    }
}
