//! `usage.*`: what model calls used and cost, over all runs.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use plait_adapters::store::RunFilter;
use plait_adapters::store::record::{QUARTER_MS, RunRecord};
use plait_engine::models::prices_date;
use plait_engine::run::Spending;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait, blocking};

/// `usage.byDay`: by day of the call, in the time zone of this computer, and by model.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsageByDay {
    /// How many days back, today included; without it, 30.
    #[serde(default)]
    #[ts(optional)]
    pub days: Option<u32>,
}

/// What was spent on one day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DayUsage {
    /// The day, as `2026-08-06`.
    pub day: String,
    /// All of it.
    pub total: Spending,
    /// The same by `provider/model`; under an empty name what no account was kept of.
    pub models: BTreeMap<String, Spending>,
}

/// What was spent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// The days on which a model was called, newest first.
    pub days: Vec<DayUsage>,
    /// All of them together.
    pub total: Spending,
    /// The day of the table of prices, as `2026-08-06`. What is spent keeps the price of its call.
    pub prices_date: String,
}

/// The days that are told of when nobody says how many.
const DAYS: u32 = 30;

impl Command for UsageByDay {
    const NAME: &'static str = "usage.byDay";
    type Reply = Usage;

    async fn run(self, app: &Plait) -> Result<Usage, ErrorReply> {
        let (store, now) = (app.store().clone(), app.clock().now_ms());
        let days = self.days.unwrap_or(DAYS);
        blocking(move || {
            let runs = store.runs(&RunFilter::default())?;
            Ok(Usage::of(&runs, now, days, &TimeZone::system()))
        })
        .await
    }
}

impl Usage {
    /// What was spent in these runs on the last `days` days before `now` (milliseconds since the Unix epoch), which is in
    /// the last of them.
    fn of(runs: &[RunRecord], now: u64, days: u32, zone: &TimeZone) -> Self {
        let today = day(now, zone);
        let first =
            (0..days.saturating_sub(1)).try_fold(today, |date, _| date.yesterday()).unwrap_or(Date::MIN);
        let mut by_day: BTreeMap<Date, BTreeMap<String, Spending>> = BTreeMap::new();
        for (quarter, models) in runs.iter().flat_map(|run| &run.spent) {
            let date = day(quarter.saturating_mul(QUARTER_MS), zone);
            if days == 0 || date < first {
                continue;
            }
            let known = by_day.entry(date).or_default();
            for (model, spending) in models {
                *known.entry(model.clone()).or_default() += *spending;
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

fn day(at_ms: u64, zone: &TimeZone) -> Date {
    let at = i64::try_from(at_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    at.unwrap_or_default().to_zoned(zone.clone()).date()
}

#[cfg(test)]
mod tests;
