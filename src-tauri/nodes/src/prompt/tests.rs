mod properties;

use std::sync::Arc;

use serde_json::json;

use super::{BlockInputs, Call, ModelConfig, Prompt, prepare};
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch};
use plait_llm::context::{Content, ContextRecord, ContextType, Message, Part, Role, SharedMessage, ToolCall};
use plait_llm::models::Correction;
use plait_llm::prompt_record::PromptPart;
use plait_llm::tokens;
use plait_llm::tool::ToolSpec;

const MODEL: &str = "gpt-4o";

fn message(id: &str, role: Role, text: &str) -> SharedMessage {
    let author = Activation { node: "n".into(), epoch: Epoch::root() };
    Arc::new(Message::plain(id.into(), role, text, author, tokens::count_message(MODEL, &text.into())))
}

fn context(instructions: &str, history: &[SharedMessage]) -> ContextRecord {
    let mut record = ContextRecord::new("main".into(), ContextType::Main, "openai", MODEL);
    record.system_instructions = (!instructions.is_empty()).then(|| instructions.to_owned());
    record.with_history(history.iter().cloned().collect())
}

fn config(window: u64, reserve: u64) -> ModelConfig {
    ModelConfig {
        provider: "openai".into(),
        model: MODEL.into(),
        max_tokens: None,
        window,
        reserve,
        correction: Correction::default(),
        caution: 1_000,
        prompt_only: false,
    }
}

fn tool(instructions: Option<&str>) -> ToolSpec {
    ToolSpec {
        instructions: instructions.map(str::to_owned),
        ..ToolSpec::new("clock", "The time.", json!({ "type": "object" }), "native")
    }
}

fn ask(context: &ContextRecord, config: &ModelConfig, question: &SharedMessage) -> Result<Prompt, Fault> {
    prepare(Call {
        context,
        config,
        question,
        tools: &[],
        blocks: BlockInputs::default(),
        turns: None,
        steps: &[],
    })
}

fn texts(prompt: &Prompt) -> Vec<String> {
    prompt.messages.iter().map(|message| message.content.text()).collect()
}

#[test]
fn prompt_is_instructions_history_user_message() {
    let context =
        context("Be brief.", &[message("1", Role::User, "Hi"), message("2", Role::Assistant, "Hello")]);
    let prompt = ask(&context, &config(10_000, 100), &message("3", Role::User, "Why?")).unwrap();
    assert_eq!(prompt.system.as_deref(), Some("Be brief."));
    assert_eq!(texts(&prompt), ["Hi", "Hello", "Why?"]);
    let [system, history, question] = &prompt.record.parts[..] else { panic!("{:?}", prompt.record.parts) };
    assert!(matches!(system, PromptPart::Message { role: Role::System, text, .. } if text == "Be brief."));
    assert!(
        matches!(history, PromptPart::History { first, last, count: 2, .. } if first.as_str() == "1" && last.as_str() == "2")
    );
    assert!(matches!(question, PromptPart::Message { role: Role::User, text, .. } if text == "Why?"));
    assert_eq!(prompt.record.tokens, prompt.record.parts.iter().map(PromptPart::tokens).sum::<u64>());
    assert_eq!(prompt.record.omitted, None);
}

#[test]
fn stored_user_message_is_sent_once() {
    let question = message("2", Role::User, "Why?");
    let context = context("", &[message("1", Role::User, "Hi"), Arc::clone(&question)]);
    let prompt = ask(&context, &config(10_000, 100), &question).unwrap();
    assert_eq!(prompt.system, None);
    assert_eq!(texts(&prompt), ["Hi", "Why?"]);
    assert!(matches!(&prompt.record.parts[..], [PromptPart::History { count: 2, .. }]));
}

#[test]
fn system_messages_after_the_first_word_stay_in_their_places_and_are_trimmed() {
    let history = [
        message("0", Role::System, "Speak of food."),
        message("1", Role::System, "Speak of food."),
        message("2", Role::User, "something quite long to say, which will not fit"),
        message("3", Role::Assistant, "indeed"),
        message("n", Role::System, "The menu: soup."),
        message("4", Role::User, "Now."),
        message("5", Role::System, "The menu: cake."),
    ];
    let context = context("Be brief.", &history);
    let question = message("6", Role::User, "What is for lunch?");
    let whole = ask(&context, &config(10_000, 0), &question).unwrap();
    assert_eq!(whole.system.as_deref(), Some("Be brief.\n\nSpeak of food."));
    assert_eq!(whole.messages[..5], history[2..]);
    let prompt = ask(&context, &config(55, 0), &question).unwrap();
    assert_eq!(prompt.system, whole.system);
    assert_eq!(texts(&prompt), ["Now.", "The menu: cake.", "What is for lunch?"]);
    assert_eq!(prompt.record.omitted.as_ref().unwrap().count, 3);
}

#[test]
fn oldest_turns_are_omitted_and_recorded() {
    let history: Vec<_> = (0..20)
        .map(|index| {
            message(
                &index.to_string(),
                if index % 2 == 0 { Role::User } else { Role::Assistant },
                "word word word",
            )
        })
        .collect();
    let each = u64::from(history[0].tokens);
    let question = message("q", Role::User, "word word word");
    let prompt = ask(&context("", &history), &config(5 * each + 50, 50), &question).unwrap();
    assert_eq!(prompt.messages.len(), 5);
    assert_eq!(prompt.messages[0].id.as_str(), "16");
    let omitted = prompt.record.omitted.unwrap();
    assert_eq!((omitted.first.as_str(), omitted.last.as_str(), omitted.count), ("0", "15", 16));
    // Room for half a turn more keeps no more: the kept part begins with a user's message.
    let prompt = ask(&context("", &history), &config(6 * each + 50, 50), &question).unwrap();
    assert_eq!(prompt.messages.len(), 5);
    let prompt = ask(&context("", &history), &config(each + 50, 50), &question).unwrap();
    assert_eq!(texts(&prompt).len(), 1);
    assert_eq!(prompt.record.omitted.unwrap().count, 20);
}

#[test]
fn too_large_error_states_the_excess() {
    let question = message("q", Role::User, "Why?");
    let needed = u64::from(question.tokens);
    let system = tokens::TOKENS_PER_MESSAGE + tokens::count(MODEL, "Be brief.");
    let exact = config(needed + system + 10, 10);
    assert!(ask(&context("Be brief.", &[]), &exact, &question).is_ok());
    let fault =
        ask(&context("Be brief.", &[]), &ModelConfig { window: exact.window - 7, ..exact }, &question)
            .unwrap_err();
    assert_eq!((fault.code.as_str(), &fault.details["over"]), ("context.too_large", &json!(7)));
    assert!(fault.message.contains("by 7 tokens"), "{}", fault.message);
}

#[test]
fn tool_instructions_precede_the_user_message_and_are_not_stored() {
    let question = message("q", Role::User, "What time is it?");
    let tools = [tool(Some("Times are UTC.")), tool(None)];
    let (context, config) = (context("", &[]), config(10_000, 100));
    let call = Call {
        context: &context,
        config: &config,
        question: &question,
        tools: &tools,
        blocks: BlockInputs::default(),
        turns: None,
        steps: &[],
    };
    let prompt = prepare(call).unwrap();
    assert_eq!(texts(&prompt), ["How to use the tools:\n- clock: Times are UTC.\n\nWhat time is it?"]);
    assert_eq!(prompt.messages[0].id, question.id);
    assert!(prompt.messages[0].tokens > question.tokens);
    assert_eq!(question.content.text(), "What time is it?");
    assert!(prompt.record.tool_tokens > 0);
    assert_eq!(prompt.record.tools, ["clock", "clock"]);
    assert_eq!(prompt.record.tokens, prompt.record.tool_tokens + u64::from(prompt.messages[0].tokens));

    let parts = Content::Parts(vec![Part::Text { text: "What time?".into() }]);
    let question = Arc::new(Message { content: parts, ..Message::clone(&question) });
    let prompt = prepare(Call { question: &question, ..call }).unwrap();
    assert_eq!(texts(&prompt), ["How to use the tools:\n- clock: Times are UTC.\nWhat time?"]);
}

#[test]
fn user_message_with_blocks_replaces_the_stored_one() {
    let question = message("2", Role::User, "What time is it?");
    let context = context("", &[message("1", Role::User, "Hi"), Arc::clone(&question)]);
    let tools = [tool(Some("Times are UTC."))];
    let config = config(10_000, 100);
    let prompt = prepare(Call {
        context: &context,
        config: &config,
        question: &question,
        tools: &tools,
        blocks: BlockInputs::default(),
        turns: None,
        steps: &[],
    })
    .unwrap();
    assert_eq!(prompt.messages.len(), 2);
    assert!(texts(&prompt)[1].ends_with("What time is it?"));
}

#[test]
fn tool_steps_follow_the_user_message() {
    let question = message("q", Role::User, "What time is it?");
    let call = ToolCall { id: "1".into(), name: "clock".into(), arguments: json!({}) };
    let asked =
        Arc::new(Message { tool_calls: vec![call], ..Message::clone(&message("a", Role::Assistant, "")) });
    let tool_result = Arc::new(Message {
        tool_call_id: Some("1".into()),
        ..Message::clone(&message("t", Role::Tool, "noon"))
    });
    let (context, config) = (context("", &[]), config(10_000, 100));
    let steps = [vec![Arc::clone(&asked), Arc::clone(&tool_result)]];
    let prompt = prepare(Call {
        context: &context,
        config: &config,
        question: &question,
        tools: &[],
        blocks: BlockInputs::default(),
        turns: None,
        steps: &steps,
    })
    .unwrap();
    assert_eq!(prompt.messages, [question, asked, tool_result]);
    assert!(matches!(
        prompt.record.parts[..],
        [PromptPart::Message { .. }, PromptPart::Step { step: 0, count: 2, .. }]
    ));
}

#[test]
fn instructions_larger_than_the_window_are_refused() {
    let wordy = "word ".repeat(200);
    let system = tokens::TOKENS_PER_MESSAGE + tokens::count(MODEL, &wordy);
    let context = context(&wordy, &[]);
    let fault = ask(&context, &config(100, 10), &message("q", Role::User, "Why?")).unwrap_err();
    assert_eq!(fault.code, "context.too_large");
    assert!(fault.message.contains("instructions alone"), "{}", fault.message);
    let question = message("q", Role::User, "Why?");
    assert_eq!(fault.details["over"], json!(system + u64::from(question.tokens) + 10 - 100));
    // Room for the instructions, and not for the question: the error names the exact difference.
    let fault = ask(&context, &config(system + 10, 10), &question).unwrap_err();
    assert_eq!(fault.details["over"], json!(question.tokens));
    // A reserve as large as the window leaves nothing at all.
    let fault = ask(&context, &config(50, 60), &question).unwrap_err();
    assert!(fault.message.contains("60 tokens are reserved for the reply"), "{}", fault.message);
    for window in [0, 1, u64::MAX] {
        let _ = ask(&context, &config(window, 0), &question);
        let _ = ask(&context, &config(window, u64::MAX), &question);
    }
}

/// Dropping it would make the model answer the message before it.
#[test]
fn oversized_last_message_is_refused() {
    let history = [message("1", Role::User, "Hi"), message("2", Role::Assistant, "Hello")];
    let long = message("3", Role::User, &"word ".repeat(500));
    let fault = ask(&context("", &history), &config(100, 10), &long).unwrap_err();
    assert_eq!(fault.code, "context.too_large");
    assert_eq!(fault.details["over"], json!(u64::from(long.tokens) + 10 - 100));
    // The same if an earlier node has stored it in the history.
    let stored = context("", &[history[0].clone(), history[1].clone(), Arc::clone(&long)]);
    assert_eq!(ask(&stored, &config(100, 10), &long).unwrap_err().code, "context.too_large");
}

#[test]
fn trimming_counts_tokens_not_messages() {
    let history =
        [message("1", Role::User, &"word ".repeat(400)), message("2", Role::Assistant, &"word ".repeat(400))];
    let prompt = ask(&context("", &history), &config(500, 0), &message("3", Role::User, "Why?")).unwrap();
    assert_eq!(texts(&prompt), ["Why?"]);
    let many: Vec<_> = (0..40).map(|index| message(&index.to_string(), Role::User, "a")).collect();
    let prompt = ask(&context("", &many), &config(500, 0), &message("q", Role::User, "Why?")).unwrap();
    assert_eq!(prompt.messages.len(), 41, "forty short ones fit where two long ones did not");
}

#[test]
fn correction_changes_how_much_fits() {
    let history: Vec<_> =
        (0..20).map(|index| message(&index.to_string(), Role::User, "word word word")).collect();
    let context = context("", &history);
    let question = message("q", Role::User, "word word word");
    let each = u64::from(question.tokens);
    let plain = config(11 * each, 0);
    assert_eq!(ask(&context, &plain, &question).unwrap().messages.len(), 11);
    // Counts that come to twice as many tokens leave room for half as many messages.
    let doubled = Correction { counted: 500_000, reported: 1_001_000 };
    assert_eq!(doubled.permille(), 2_000);
    let prompt = ask(&context, &ModelConfig { correction: doubled, ..plain.clone() }, &question).unwrap();
    assert_eq!(prompt.messages.len(), 5);
    assert_eq!((prompt.record.counted(), prompt.record.tokens), (5 * each, 10 * each));
    assert!(prompt.record.tokens <= plain.window);
    // The difference is named in the model's tokens.
    let tight = ModelConfig { window: each, correction: doubled, ..plain };
    assert_eq!(ask(&context, &tight, &question).unwrap_err().details["over"], json!(each));
}

#[test]
fn steps_stay_with_the_user_message() {
    let history = [message("1", Role::User, &"word ".repeat(50)), message("2", Role::Assistant, "Hello")];
    let question = message("q", Role::User, "How many?");
    let steps = [vec![message("a", Role::Assistant, "many"), message("o", Role::User, "That is no number.")]];
    let context = context("", &history);
    let config = config(60, 0);
    let call = Call {
        context: &context,
        config: &config,
        question: &question,
        tools: &[],
        blocks: BlockInputs::default(),
        turns: None,
        steps: &steps,
    };
    assert_eq!(texts(&prepare(call).unwrap()), ["How many?", "many", "That is no number."]);
}
