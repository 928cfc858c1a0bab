use plait_core::origin::Origins;
use std::sync::Arc;

use super::*;
use crate::{CallAccount, CallEvent, RunEvent};
use plait_core::id::{Activation, Epoch};
use plait_llm::provider::ModelReply;

fn replied(usage: Option<TokenUsage>, account: Option<CallAccount>) -> Event {
    let reply = ModelReply { usage, ..ModelReply::default() };
    let account = account.map(Arc::new);
    Event::Call(
        Activation { node: "chat".into(), epoch: Epoch::root() },
        CallEvent::ModelReplied {
            origins: Origins::NONE,
            step: 0,
            reply: Box::new(reply),
            account,
            key: None,
            sampling: None,
            reused: None,
            bought: None,
        },
    )
}

fn account(cost_nano_usd: Option<u64>) -> CallAccount {
    CallAccount {
        context_id: "main".into(),
        provider: "openai".to_owned(),
        model: "gpt-4o".to_owned(),
        counted: 1,
        estimated: false,
        disbelieved: None,
        cost_nano_usd,
        pace: plait_llm::stream_pace::StreamPace::default(),
    }
}

#[test]
fn calls_tokens_and_money_add_up_and_what_has_no_price_is_counted() {
    let usage = TokenUsage { input: 10, output: 5, cached_input: 4, cache_write: 3, reasoning: 2 };
    let waiting = Event::Run(RunEvent::Waiting { on: Vec::new(), more: 0 });
    let events = [
        replied(Some(usage), Some(account(Some(1_000)))),
        waiting,
        replied(Some(usage), Some(account(Some(500)))),
        replied(None, Some(account(None))),
        // Of a time when no accounts were kept.
        replied(None, None),
    ];
    let spent: Spending = events.iter().filter_map(Spending::of).sum();
    let tokens = TokenUsage { input: 20, output: 10, cached_input: 8, cache_write: 6, reasoning: 4 };
    assert_eq!(spent, Spending { calls: 4, tokens, cost: Cost { nano_usd: 1_500, unpriced: 2 } });
}
