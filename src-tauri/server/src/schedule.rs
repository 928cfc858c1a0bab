//! When a published flow begins by itself.

use std::str::FromStr as _;

use croner::Cron;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use plait_api::ErrorReply;
use plait_api::hosts::Schedule;

use crate::codes;

/// The times of a schedule.
pub(crate) trait ScheduleTimes {
    /// The first time after another one. `published.bad_schedule` if it cannot be read or never comes.
    fn next(&self, after: Timestamp) -> Result<Timestamp, ErrorReply>;

    /// The last time in `(from, until]`, if there is one: what was missed begins once.
    fn last_in(&self, from: Timestamp, until: Timestamp) -> Result<Option<Timestamp>, ErrorReply>;
}

impl ScheduleTimes for Schedule {
    fn next(&self, after: Timestamp) -> Result<Timestamp, ErrorReply> {
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

    fn last_in(&self, from: Timestamp, until: Timestamp) -> Result<Option<Timestamp>, ErrorReply> {
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
