//! The event of a reply that a run has bought.

use std::sync::Arc;

use plait_core::id::{Activation, Epoch};
use plait_core::origin::Origins;
use plait_journal::{CallAccount, CallEvent, Event, EventRef};
use plait_llm::models::TokenUsage;
use plait_llm::provider::ModelReply;

/// A reply of 10 tokens in and 5 out at this cost, in billionths of a US dollar; one that an earlier run bought, if `reused`.
pub fn bought_reply(cost_nano_usd: u64, reused: Option<EventRef>) -> Event {
    let account = CallAccount {
        context_id: "main".into(),
        provider: "p".into(),
        model: "m".into(),
        counted: 10,
        estimated: false,
        disbelieved: None,
        cost_nano_usd: Some(cost_nano_usd),
        pace: plait_llm::stream_pace::StreamPace::default(),
    };
    let reply = ModelReply { usage: Some(TokenUsage::new(10, 5)), ..ModelReply::default() };
    let replied = CallEvent::ModelReplied {
        origins: Origins::NONE,
        step: 0,
        reply: Box::new(reply),
        account: Some(Arc::new(account)),
        key: Some("k".into()),
        sampling: None,
        reused,
        bought: None,
    };
    Event::Call(Activation { node: "chat".into(), epoch: Epoch::root() }, replied)
}
