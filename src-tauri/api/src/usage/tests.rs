use plait_core::id::{Activation, Epoch};
use plait_core::origin::Origins;
use plait_journal::{CallAccount, CallEvent, Entry, Event};
use plait_llm::models::{Cost, TokenUsage};
use plait_llm::provider::ModelReply;
use plait_store::record::RunRecord;
use plait_testing::RunStart;

use super::*;

/// 2026-08-06, 21:50 UTC.
const EVENING: u64 = 1_786_053_000_000;
const MINUTE: u64 = 60_000;

fn spending(calls: &[(u64, Option<u64>)]) -> RunSpending {
    let entry = |seq: u64, at: u64, event: Event| Entry { seq: Some(seq), at, event, interrupted_ms: 0 };
    let first = Event::from(RunStart::new("r"));
    let mut record = RunRecord::begin(&entry(0, EVENING, first)).expect("begun");
    for (seq, (at, cost)) in (1..).zip(calls) {
        let account = CallAccount {
            context_id: "main".into(),
            provider: "openai".into(),
            model: "gpt-4o".into(),
            counted: 10,
            estimated: false,
            disbelieved: None,
            cost_nano_usd: *cost,
            pace: plait_llm::stream_pace::StreamPace::default(),
        };
        let reply = ModelReply { usage: Some(TokenUsage::new(10, 5)), ..ModelReply::default() };
        let event = Event::Call(
            Activation { node: "chat".into(), epoch: Epoch::root() },
            CallEvent::ModelReplied {
                origins: Origins::NONE,
                step: 0,
                reply: Box::new(reply),
                account: Some(std::sync::Arc::new(account)),
                key: None,
                sampling: None,
                reused: None,
                bought: None,
            },
        );
        record.apply(&entry(seq, *at, event));
    }
    (&record).into()
}

#[test]
fn call_counts_on_the_day_it_was_made() {
    // One run that continues past midnight, in two time zones.
    let runs =
        [spending(&[(EVENING, Some(5)), (EVENING + 45 * MINUTE, None), (EVENING + 140 * MINUTE, Some(7))])];
    let now = EVENING + 200 * MINUTE;
    let by_day = |zone: &TimeZone, days: u32| -> Vec<_> {
        let usage = Usage::by_day(&runs, now, days, zone);
        usage.days.iter().map(|day| (day.day.clone(), day.total.calls, day.total.cost)).collect()
    };
    let cost = |nano_usd, unpriced| Cost { nano_usd, unpriced };
    let utc = TimeZone::UTC;
    assert_eq!(
        by_day(&utc, 30),
        [("2026-08-07".to_owned(), 1, cost(7, 0)), ("2026-08-06".to_owned(), 2, cost(5, 1))]
    );
    let ahead = TimeZone::fixed(jiff::tz::offset(2));
    assert_eq!(by_day(&ahead, 30).iter().map(|day| day.1).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(by_day(&utc, 1).len(), 1, "only today");
    assert!(by_day(&utc, 0).is_empty());
    let usage = Usage::by_day(&runs, now, 30, &utc);
    assert_eq!(
        (usage.total.calls, usage.total.tokens, usage.total.cost),
        (3, TokenUsage::new(30, 15), cost(12, 1))
    );
    assert_eq!(usage.days[0].models.keys().collect::<Vec<_>>(), ["openai/gpt-4o"]);
}
