//! Which bought replies other runs no longer take: those that a person has forgotten. The journals keep them, so an index that is filled
//! again from the journals has them too; this says that they do not count.

use std::collections::BTreeMap;

use plait_core::error::Fault;
use plait_core::id::RunId;
use serde::{Deserialize, Serialize};

use crate::store_core::StoreCore;
use crate::tree::{run_id, run_key};
use crate::{RunFilter, documents};

pub(crate) const NAME: &str = "forgotten-replies";

/// When replies were forgotten, in milliseconds since the Unix epoch: those that were bought until then.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ForgottenReplies {
    /// Of all runs.
    #[serde(default)]
    all: u64,
    /// Of single runs.
    #[serde(default)]
    runs: BTreeMap<RunId, u64>,
}

impl ForgottenReplies {
    /// Whether a reply that this run bought at this time is forgotten.
    pub fn contains(&self, run: &RunId, bought_at: u64) -> bool {
        bought_at <= self.all || self.runs.get(run).is_some_and(|until| bought_at <= *until)
    }

    pub(crate) fn read(core: &StoreCore) -> Result<Self, Fault> {
        documents::get(core, NAME)
    }
}

/// Forgets what was bought so far: by all runs, or by a run and the runs below it. On disk when this returns. Fault `run.unknown`.
pub(crate) fn forget(core: &StoreCore, run: Option<&RunId>, at: u64) -> Result<(), Fault> {
    core.writer()?;
    let runs: Vec<RunId> = match run {
        Some(run) => {
            let key = run_key(&core.run(run)?.run)?;
            core.shared.index().family(key).into_iter().map(run_id).collect()
        }
        None => core.runs(&RunFilter::default()).into_iter().map(|record| record.run).collect(),
    };
    change(core, |forgotten| match run {
        Some(_) => {
            forgotten.runs.extend(runs.iter().map(|run| (run.clone(), at)));
            // What was removed has nothing left to forget.
            forgotten.runs.retain(|run, _| core.run(run).is_ok());
        }
        None => *forgotten = ForgottenReplies { all: at, runs: BTreeMap::new() },
    })?;
    for run in &runs {
        core.shared.derived_index.remove_replies(run_key(run)?);
    }
    Ok(())
}

fn change(core: &StoreCore, change: impl FnOnce(&mut ForgottenReplies)) -> Result<(), Fault> {
    let _alone = core.changing.lock();
    let mut forgotten = ForgottenReplies::read(core)?;
    change(&mut forgotten);
    documents::put(core, NAME, &forgotten)
}
