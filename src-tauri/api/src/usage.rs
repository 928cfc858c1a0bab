//! `usage.*`: tokens and cost of the model calls of all runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use plait_journal::Spending;
use plait_llm::models::prices_date;
use plait_run::host::Clock;
use plait_store::RunSpending;
use plait_store::Store;
use plait_store::record::QUARTER_MS;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// The number of days, if a caller gives none.
const DEFAULT_DAYS: u32 = 30;

/// The accounts of the data directory.
pub struct UsageService {
    store: Store,
    clock: Arc<dyn Clock>,
}

impl UsageService {
    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }
}

/// `usage.byDay`: usage by day, in the local time zone, and by model. The day of a call counts, not that of its run.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsageByDay {
    /// The number of days up to and including today; 30 when left out.
    #[serde(default)]
    #[ts(optional)]
    pub days: Option<u32>,
}

impl Command for UsageByDay {
    const NAME: &'static str = "usage.byDay";
    type Service = UsageService;
    type Reply = Usage;

    async fn run(self, service: &UsageService) -> Result<Usage, ErrorReply> {
        let (store, now) = (service.store.clone(), service.clock.now_ms());
        let days = self.days.unwrap_or(DEFAULT_DAYS);
        run_blocking(move || Ok(Usage::by_day(&store.spending()?, now, days, &TimeZone::system()))).await
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DayUsage {
    /// The day, as `2026-08-06`.
    pub day: String,
    pub total: Spending,
    /// The same by `provider/model`. Calls of unknown models have an empty name.
    pub models: BTreeMap<String, Spending>,
}

/// The usage of several days.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// The days on which a model was called, newest first.
    pub days: Vec<DayUsage>,
    /// The sum of all days.
    pub total: Spending,
    /// The date of the price table, as `2026-08-06`. Each call keeps the price that was in force when it was made.
    pub prices_date: String,
}

impl Usage {
    /// What runs have spent on the last `days` days. `now`, in milliseconds since the Unix epoch, is on the last one.
    fn by_day(runs: &[RunSpending], now: u64, days: u32, zone: &TimeZone) -> Self {
        let today = date_of(now, zone);
        let first =
            (0..days.saturating_sub(1)).try_fold(today, |date, _| date.yesterday()).unwrap_or(Date::MIN);
        let mut by_day: BTreeMap<Date, BTreeMap<String, Spending>> = BTreeMap::new();
        for (quarter, models) in runs.iter().flat_map(|run| &run.spent) {
            let date = date_of(quarter.saturating_mul(QUARTER_MS), zone);
            if days == 0 || date < first {
                continue;
            }
            let by_model = by_day.entry(date).or_default();
            for (model, spending) in models {
                *by_model.entry(model.clone()).or_default() += *spending;
            }
        }
        let days: Vec<_> = by_day
            .into_iter()
            .rev()
            .map(|(date, models)| DayUsage {
                day: date.to_string(),
                total: models.values().copied().sum(),
                models,
            })
            .collect();
        let total = days.iter().map(|day| day.total).sum();
        Self { days, total, prices_date: prices_date().to_owned() }
    }
}

pub(crate) fn date_of(at_ms: u64, zone: &TimeZone) -> Date {
    let at = i64::try_from(at_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    at.unwrap_or_default().to_zoned(zone.clone()).date()
}

#[cfg(test)]
mod tests;
