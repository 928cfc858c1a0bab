//! When a published flow begins by itself.

use std::str::FromStr as _;

use croner::Cron;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use plait_api::ErrorReply;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::codes;

/// When a flow begins, and with what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Schedule {
    /// Minute, hour, day of the month, month and day of the week, as in a crontab; seconds may come before them.
    pub(crate) cron: String,
    /// The time zone by its IANA name, such as `Europe/Paris`. UTC, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timezone: Option<String>,
    /// The text input of the runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<String>,
}

impl Schedule {
    /// The first time after another one. `published.bad_schedule` if it cannot be read or never comes.
    pub(crate) fn next(&self, after: Timestamp) -> Result<Timestamp, ErrorReply> {
        let bad = |why: &dyn std::fmt::Display| {
            ErrorReply::new(codes::PUBLISHED_BAD_SCHEDULE, format!("The schedule `{}` cannot be used: {why}.", self.cron))
                .hint("Write five fields, such as `0 9 * * 1-5` for each working day at nine, and a time zone such as `Europe/Paris`.")
        };
        let cron = Cron::from_str(&self.cron).map_err(|error| bad(&error))?;
        let zone = match &self.timezone {
            Some(name) => TimeZone::get(name).map_err(|error| bad(&error))?,
            None => TimeZone::UTC,
        };
        let next = cron.find_next_occurrence(&after.to_zoned(zone), false).map_err(|error| bad(&error))?;
        Ok(next.timestamp())
    }

    /// The last time in `(from, until]`, if there is one: what was missed begins once.
    pub(crate) fn last_in(&self, from: Timestamp, until: Timestamp) -> Result<Option<Timestamp>, ErrorReply> {
        let (mut last, mut at) = (None, self.next(from)?);
        while at <= until {
            last = Some(at);
            at = self.next(at)?;
        }
        Ok(last)
    }
}

#[cfg(test)]
mod tests;
