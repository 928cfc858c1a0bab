//! Compares prompts with a reference that tries every possible start of the history.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value;

use super::{MODEL, context, message, tool};
use crate::prompt::{BlockInputs, Call, prepare};
use plait_llm::context::{Message, Role, SharedMessage, ToolCall};
use plait_llm::models::{Correction, ModelConfig};
use plait_llm::tokens;
use plait_llm::tokens::tool_tokens;

/// A message of any role: role, tokens, call id.
fn any_message() -> impl Strategy<Value = (Role, u32, Option<u8>)> {
    let role = prop_oneof![
        3 => Just(Role::User),
        3 => Just(Role::Assistant),
        2 => Just(Role::Tool),
        1 => Just(Role::System),
    ];
    (role, 0_u32..60, prop::option::of(0_u8..4))
}

/// A tool's result answers the call `id`; an assistant's message makes it.
fn build_message(index: usize, (role, tokens, id): (Role, u32, Option<u8>)) -> SharedMessage {
    let plain = message(&index.to_string(), role, &format!("said {index}"));
    let named = |id: u8| format!("call {id}");
    let call = |id: u8| ToolCall { id: named(id), name: "clock".to_owned(), arguments: Value::Null };
    Arc::new(Message {
        tokens,
        tool_calls: id.filter(|_| role == Role::Assistant).map(call).into_iter().collect(),
        tool_call_id: (role == Role::Tool).then(|| named(id.unwrap_or_default())),
        ..Message::clone(&plain)
    })
}

/// Whether every tool result has its call.
fn has_all_calls(messages: &[SharedMessage]) -> bool {
    let mut called = Vec::new();
    messages.iter().all(|message| {
        called.extend(message.tool_calls.iter().map(|call| &call.id));
        message.tool_call_id.as_ref().is_none_or(|id| called.contains(&id))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn prompt_matches_the_reference(
        history in prop::collection::vec(any_message(), 0..14),
        with_instructions in any::<bool>(),
        with_tool in any::<bool>(),
        step in prop::option::of(0_u32..40),
        window in 0_u64..700,
        reserve in 0_u64..60,
        reported in 500_u64..3_000,
    ) {
        let history: Vec<_> = history.into_iter().enumerate().map(|(index, one)| build_message(index, one)).collect();
        let context = context(if with_instructions { "Be brief." } else { "" }, &history);
        let correction = Correction { counted: 999_000, reported: reported * 1_000 - 1_000 };
        let config = ModelConfig {
            provider: "anthropic".into(),
            model: MODEL.into(),
            max_tokens: None,
            window,
            reserve,
            correction, caution: 1_000, prompt_only: false,
        };
        let question = message("q", Role::User, "Why?");
        let tools: Vec<_> = with_tool.then(|| tool(None)).into_iter().collect();
        let steps: Vec<_> = step.map(|tokens| vec![build_message(99, (Role::Assistant, tokens, None))]).into_iter().collect();
        let result = prepare(Call { context: &context, config: &config, question: &question, tools: &tools, blocks: BlockInputs::default(), turns: None, steps: &steps });

        // The reference.
        let leading = history.iter().take_while(|message| message.role == Role::System).count();
        let instructions = with_instructions.then(|| "Be brief.".to_owned());
        let system: Vec<String> =
            instructions.into_iter().chain(history[..leading].iter().map(|message| message.content.text())).collect();
        let system = (!system.is_empty()).then(|| system.join("\n\n"));
        let conversation: Vec<_> = history[leading..].iter().chain([&question]).cloned().collect();
        let fixed = system.as_ref().map_or(0, |text| tokens::TOKENS_PER_MESSAGE + tokens::count(MODEL, text))
            + tool_tokens(MODEL, &tools)
            + u64::from(step.unwrap_or_default());
        let takes = |from: usize| {
            let counted = fixed + conversation[from..].iter().map(|message| u64::from(message.tokens)).sum::<u64>();
            correction.apply(counted) + reserve
        };
        let last = conversation.len() - 1;
        let may_begin = |from: usize| from == 0 || from == last || (conversation[from].role == Role::User && has_all_calls(&conversation[from..]));
        let from = (0..conversation.len()).find(|from| may_begin(*from) && takes(*from) <= window);

        match (result, from) {
            (Ok(prompt), Some(from)) => {
                prop_assert_eq!(&prompt.system, &system, "the system text is kept whole");
                let expected: Vec<_> = conversation[from..].iter().chain(steps.iter().flatten()).cloned().collect();
                prop_assert_eq!(&prompt.messages, &expected, "the longest end that fits, and all of it where it does");
                prop_assert!(prompt.record.tokens + reserve <= window, "within the budget");
                prop_assert_eq!(prompt.record.tokens, takes(from) - reserve);
                prop_assert_eq!(prompt.record.omitted.map_or(0, |omitted| omitted.count), from as u64);
            }
            (Err(fault), None) => {
                prop_assert_eq!(fault.code.as_str(), "context.too_large");
                let over = fault.details["over"].as_u64().unwrap_or_default();
                prop_assert!(over > 0);
                // By so much, except for the rounding of its parts.
                let missing = takes(last) - window;
                prop_assert!(over >= missing && over <= missing + 4, "{} for {}", over, missing);
            }
            (result, from) => prop_assert!(false, "{result:?} where the reference begins at {from:?}"),
        }
    }
}
