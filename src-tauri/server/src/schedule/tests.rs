use jiff::Timestamp;

use super::{Schedule, ScheduleTimes as _};

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn schedule(cron: &str, timezone: Option<&str>) -> Schedule {
    Schedule { cron: cron.to_owned(), timezone: timezone.map(str::to_owned), input: None }
}

#[test]
fn next_time_is_that_of_a_crontab() {
    for (cron, timezone, after, next) in [
        ("0 9 * * 1-5", None, "2026-11-27T09:00:00Z", "2026-11-30T09:00:00Z"),
        ("*/15 * * * *", None, "2026-11-30T10:07:30Z", "2026-11-30T10:15:00Z"),
        ("0 0 29 2 *", None, "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"),
        ("30 6 * * *", Some("Europe/Paris"), "2026-11-30T00:00:00Z", "2026-11-30T05:30:00Z"),
        // The clocks of Paris go from 02:00 to 03:00 on this day.
        ("30 6 * * *", Some("Europe/Paris"), "2026-03-28T12:00:00Z", "2026-03-29T04:30:00Z"),
    ] {
        assert_eq!(schedule(cron, timezone).next(at(after)).unwrap(), at(next), "{cron} {timezone:?}");
    }
}

#[test]
fn schedules_that_cannot_be_read_or_never_come_are_refused() {
    for (cron, timezone) in [
        ("", None),
        ("often", None),
        ("0 25 * * *", None),
        ("0 0 30 2 *", None),
        ("0 9 * * *", Some("Paris")),
    ] {
        let error = schedule(cron, timezone).next(at("2026-11-30T00:00:00Z")).unwrap_err();
        assert_eq!(error.code, crate::codes::PUBLISHED_BAD_SCHEDULE, "{cron}");
    }
}

#[test]
fn what_was_missed_begins_once() {
    let hourly = schedule("0 * * * *", None);
    let last = |from, until| hourly.last_in(at(from), at(until)).unwrap();
    assert_eq!(last("2026-11-30T10:00:00Z", "2026-11-30T10:59:59Z"), None);
    assert_eq!(last("2026-11-30T10:59:59Z", "2026-11-30T11:00:00Z"), Some(at("2026-11-30T11:00:00Z")));
    assert_eq!(last("2026-11-30T11:00:00Z", "2026-11-30T11:00:00Z"), None);
    assert_eq!(last("2026-11-30T10:00:00Z", "2026-11-30T14:30:00Z"), Some(at("2026-11-30T14:00:00Z")));
}
