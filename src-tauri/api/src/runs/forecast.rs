//! `flow.forecast`: how the prompts of a flow will grow, and what a run may cost.

use std::sync::Arc;

use plait_core::config::with_settings;
use plait_core::flow::Flow;
use plait_core::id::RunId;
use plait_core::user::UserName;
use plait_insight::forecast::{FlowForecast, ForecastRequest, MeasuredSizes, forecast};
use plait_journal::view::RunView;
use plait_journal::{Entry, InputOverrides};
use plait_store::Store;
use plait_store::{RunFilter, Which};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::launch::plan_to_run;
use super::service::RunService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// How many earlier runs of a flow are looked at.
const MAX_EARLIER_RUNS: usize = 5;
/// How many entries of the journal of each.
const MAX_ENTRIES: usize = 20_000;

/// `flow.forecast`: how the prompts of a flow will grow from iteration to iteration, when they no longer fit the window, and what a
/// run may cost, as far as that is known. Calls nobody. `flow.invalid`, `run.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ForecastFlow {
    pub flow: Flow,
    /// Its file, if it has one. The latest runs of that file say how long replies are.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    /// The text that the run is to be started with.
    #[serde(default)]
    #[ts(optional)]
    pub input: Option<String>,
    /// A run of the flow that is going on: what it has sent counts as it is.
    #[serde(default)]
    #[ts(optional)]
    pub run: Option<RunId>,
}

impl Command for ForecastFlow {
    const NAME: &'static str = "flow.forecast";
    type Service = RunService;
    type Reply = FlowForecast;

    async fn run(self, service: &RunService) -> Result<FlowForecast, ErrorReply> {
        let (store, registry) = (service.parts.store.clone(), Arc::clone(&service.parts.registry));
        let (models, tools) =
            (Arc::new(service.parts.calibration.current()), service.parts.tools.list().into());
        let user = service.parts.users.resolve(None)?;
        let config = service.parts.config.current();
        run_blocking(move || {
            let plan =
                plan_to_run(&with_settings(&self.flow, &config), &registry, None, &InputOverrides::new())?;
            let so_far = self.run.as_ref().map(|run| read_run(&store, run)).transpose()?;
            let mut live = MeasuredSizes::default();
            if let Some(run) = &so_far {
                live.add_run(run);
            }
            let earlier = match &self.path {
                Some(path) => measure_earlier(&store, path, user)?,
                None => MeasuredSizes::default(),
            };
            let request = ForecastRequest {
                flow_name: &self.flow.name,
                input: self.input.as_deref(),
                models,
                tools,
                earlier: Arc::new(earlier),
                live: Arc::new(live),
                so_far: so_far.as_ref(),
            };
            Ok(forecast(plan, &request)?)
        })
        .await
    }
}

/// The sizes in the latest runs of a file. A run with an unreadable journal has none.
fn measure_earlier(store: &Store, path: &str, user: UserName) -> Result<MeasuredSizes, ErrorReply> {
    let filter = RunFilter {
        flow_path: Some(path.to_owned()),
        user: Some(user),
        which: Which::Roots,
        limit: Some(MAX_EARLIER_RUNS),
    };
    let mut sizes = MeasuredSizes::default();
    for record in store.runs(&filter)? {
        if let Ok(run) = read_run(store, &record.run) {
            sizes.add_run(&run);
        }
    }
    Ok(sizes)
}

fn read_run(store: &Store, run: &RunId) -> Result<RunView, ErrorReply> {
    let entries: Vec<Entry> =
        store.read_damaged_journal(run)?.filter_map(Result::ok).take(MAX_ENTRIES).collect();
    Ok(RunView::of(&entries))
}
