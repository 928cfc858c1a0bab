//! `lens.evaluate`.

use plait_core::error::Fault;
use plait_core::expression::condition::Watch;
use plait_core::id::{Activation, RunId};
use plait_insight::lineage::RecordedRun;
use plait_insight::watches::watched_variables;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::{LensService, read_entries};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// `lens.evaluate`: the values of expressions in CEL at a moment of a run, in the order of the expressions. They read what breakpoints
/// read (`value`, `inputs`, `outputs`, `error`, `iteration`, `attempt`, `tokens`, `cost`, `trimmed`), and `nodes.NAME.PORT`. Changes
/// nothing. `run.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct EvaluateWatches {
    pub run: RunId,
    pub expressions: Vec<String>,
    /// The activation that is looked at. Without it, what the run stands still at.
    #[serde(default)]
    #[ts(optional)]
    pub focus: Option<Activation>,
    /// The number of events that have happened at the moment. Without it, all.
    #[serde(default)]
    #[ts(optional, type = "number")]
    pub events: Option<u64>,
}

/// What became of an expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum WatchedValue {
    Value(#[ts(type = "unknown")] Value),
    /// Why it has none there: `switch.condition` and the faults of the evaluator.
    Error(Fault),
}

impl Command for EvaluateWatches {
    const NAME: &'static str = "lens.evaluate";
    type Service = LensService;
    type Reply = Vec<WatchedValue>;

    async fn run(self, service: &LensService) -> Result<Vec<WatchedValue>, ErrorReply> {
        let Self { run, expressions, focus, events } = self;
        service.catch_up().await;
        let store = service.store.clone();
        let variables = run_blocking(move || {
            store.run(&run)?;
            let mut entries = read_entries(&store, &run)?;
            if let Some(events) = events {
                entries.retain(|entry| entry.seq.is_some_and(|seq| seq < events));
            }
            let recorded = RecordedRun::new(run, &entries, None);
            Ok(watched_variables(&entries, &recorded, focus.as_ref()))
        })
        .await?;
        let mut values = Vec::with_capacity(expressions.len());
        for expression in expressions {
            let value = Watch::new(&expression).value(&variables, &*service.evaluator).await;
            values.push(value.map_or_else(WatchedValue::Error, WatchedValue::Value));
        }
        Ok(values)
    }
}
