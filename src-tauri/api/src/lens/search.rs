//! `lens.search`.

use plait_core::id::RunId;
use plait_insight::lens::{LensHit, MAX_HITS};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{LensService, read_lens};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// `lens.search`: where a text occurs in the prompts and replies of a run and its child runs, in any case. A message of a
/// history is found once, in the first prompt that has it. At most 200 places. `run.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct SearchPrompts {
    pub run: RunId,
    pub text: String,
}

/// A place where the text was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PromptHit {
    /// The run: the one that was asked for, or a child run.
    pub run: RunId,
    #[serde(flatten)]
    #[ts(flatten)]
    pub hit: LensHit,
}

impl Command for SearchPrompts {
    const NAME: &'static str = "lens.search";
    type Service = LensService;
    type Reply = Vec<PromptHit>;

    async fn run(self, service: &LensService) -> Result<Vec<PromptHit>, ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || {
            store.run(&self.run)?;
            let (mut hits, mut next) = (Vec::new(), vec![self.run]);
            while let Some(run) = next.pop() {
                if hits.len() >= MAX_HITS {
                    break;
                }
                let found = read_lens(&store, &run)?.search(&self.text).into_iter();
                hits.extend(found.map(|hit| PromptHit { run: run.clone(), hit }));
                next.extend(store.children(&run)?.into_iter().rev().map(|child| child.run));
            }
            hits.truncate(MAX_HITS);
            Ok(hits)
        })
        .await
    }
}
