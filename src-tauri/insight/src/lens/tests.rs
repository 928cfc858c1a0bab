mod histories;

use serde_json::{Value, json};

use std::collections::BTreeMap;

use super::*;
use plait_core::id::Epoch;
use plait_journal::Entry;
use plait_journal::view::NodeState;
use plait_llm::context::Role;

/// A journal of these events, one every 10 ms.
fn journal(events: &[Value]) -> Vec<Entry> {
    let entry = |(seq, event): (usize, &Value)| {
        let mut event = event.clone();
        event["seq"] = json!(seq);
        event["at"] = json!(1_000 + seq * 10);
        serde_json::from_value(event).unwrap()
    };
    events.iter().enumerate().map(entry).collect()
}

fn of(node: &str, kind: &str, more: &Value) -> Value {
    in_epoch(node, &[], kind, more)
}

fn in_epoch(node: &str, epoch: &[u32], kind: &str, more: &Value) -> Value {
    let mut event = json!({ "type": kind, "node": node, "epoch": epoch });
    if let (Value::Object(event), Value::Object(more)) = (&mut event, more) {
        event.extend(more.clone());
    }
    event
}

fn message(id: &str, role: &str, text: &str, tokens: u32) -> Value {
    json!({ "id": id, "role": role, "content": text, "author": { "node": "chat", "epoch": [] }, "tokens": tokens })
}

fn committed(messages: &[Value]) -> Value {
    of("chat", "turn.committed", &json!({ "contextId": "main", "messages": messages }))
}

fn created() -> Value {
    let context = json!({ "contextId": "main", "contextType": "main", "provider": "p", "model": "m", "messageHistory": [],
        "sessionId": "", "currentOutput": "", "revision": 0 });
    of("start", "context.created", &json!({ "context": context }))
}

fn prompt(parts: &Value) -> Value {
    json!({ "provider": "p", "model": "m", "parts": parts, "tools": [], "toolTokens": 0, "tokens": 30, "window": 100, "reserve": 20 })
}

fn rendered(step: u32, prompt: &Value) -> Value {
    of("chat", "prompt.rendered", &json!({ "step": step, "prompt": prompt }))
}

fn replied(step: u32, reply: &Value) -> Value {
    of("chat", "model.replied", &json!({ "step": step, "reply": reply, "key": format!("key {step}") }))
}

fn texts(call: &LensCall) -> Vec<(Role, &str)> {
    call.messages.iter().map(|message| (message.role, message.text.as_str())).collect()
}

fn chat() -> Activation {
    Activation { node: "chat".into(), epoch: Epoch::root() }
}

const HELLO: &str = "Hello there";

/// Two earlier turns, the first of which did not fit; then a prompt with history, question and a round of tools.
fn run_with_tools() -> Vec<Entry> {
    let history = json!({ "kind": "history", "first": "c", "last": "d", "count": 2, "tokens": 8 });
    let system = json!({ "kind": "message", "role": "system", "text": "Be brief.", "tokens": 5 });
    let question = json!({ "kind": "message", "role": "user", "text": "And now?", "tokens": 6 });
    let step = json!({ "kind": "step", "step": 0, "count": 3, "tokens": 9 });
    let mut first = prompt(&json!([system, history, question]));
    first["omitted"] = json!({ "first": "a", "last": "b", "count": 2 });
    let second = prompt(&json!([system, history, question, step]));
    let call = |id: &str| json!({ "id": id, "name": "look", "arguments": { "at": id } });
    let calls_tools = json!({ "text": "", "stopReason": "toolCalls", "toolCalls": [call("1"), call("2")] });
    journal(&[
        created(),
        committed(&[message("a", "user", HELLO, 3), message("b", "assistant", "Hi", 4)]),
        committed(&[message("c", "user", "Who are you?", 3), message("d", "assistant", "A model", 5)]),
        of("chat", "node.ready", &json!({})),
        of("chat", "node.started", &json!({ "attempt": 1 })),
        rendered(0, &first),
        replied(0, &calls_tools),
        of("chat", "tool.called", &json!({ "step": 0, "call": call("1") })),
        of("chat", "tool.called", &json!({ "step": 0, "call": call("2") })),
        of("chat", "tool.finished", &json!({ "step": 0, "callId": "1", "result": { "seen": true } })),
        of(
            "chat",
            "tool.finished",
            &json!({ "step": 0, "callId": "2",
            "error": { "code": "tool.not_offered", "message": "No such tool.", "retryable": false } }),
        ),
        rendered(1, &second),
        replied(1, &json!({ "text": "I looked.", "stopReason": "end" })),
    ])
}

#[test]
fn messages_are_those_that_were_sent() {
    let lens = Lens::of(&run_with_tools());
    let [first, second] = &lens.calls(&CallFilter::default())[..] else { panic!("two calls") };
    let sent = [
        (Role::System, "Be brief."),
        (Role::User, "Who are you?"),
        (Role::Assistant, "A model"),
        (Role::User, "And now?"),
    ];
    assert_eq!(texts(first), sent);
    let with_step = [
        &sent[..],
        &[
            (Role::Assistant, ""),
            (Role::Tool, "{\"seen\":true}"),
            (Role::Tool, "{\"code\":\"tool.not_offered\",\"error\":\"No such tool.\"}"),
        ],
    ];
    assert_eq!(texts(second), with_step.concat());
    assert_eq!(second.messages[4].tool_calls.len(), 2);
    assert_eq!(second.messages[6].tool_call_id.as_deref(), Some("2"));
    assert_eq!(second.reply.as_ref().map(|reply| reply.text.as_str()), Some("I looked."));
    assert_eq!((first.call, second.call), (0, 1));
    let wanted = CallFilter { node: Some("chat".into()), epoch: Some(Epoch::root()), index: Some(1) };
    assert_eq!(lens.calls(&wanted), std::slice::from_ref(second));
    let none = [
        CallFilter { node: Some("other".into()), ..wanted.clone() },
        CallFilter { epoch: Some(Epoch::root().child(0)), ..wanted.clone() },
        CallFilter { index: Some(2), ..wanted },
    ];
    assert!(none.iter().all(|none| lens.calls(none).is_empty()));
}

#[test]
fn what_did_not_fit_is_listed_with_its_tokens() {
    let lens = Lens::of(&run_with_tools());
    let calls = lens.calls(&CallFilter::default());
    let [LeftOut::History { count: 2, tokens: Some(7), messages }] = &calls[0].left_out[..] else {
        panic!("{:?}", calls[0].left_out)
    };
    assert_eq!(messages[0].text, HELLO);
    assert_eq!(calls[0].badges, [PromptBadge::HistoryTrimmed]);
    assert!(calls[1].left_out.is_empty());
}

#[test]
fn shares_add_up_to_prompt_reserve_and_free_room() {
    let lens = Lens::of(&run_with_tools());
    let calls = lens.calls(&CallFilter::default());
    let shares: Vec<_> = calls[1].shares.iter().map(|share| (share.kind, share.tokens)).collect();
    let expected = [
        (ShareKind::System, 5),
        (ShareKind::History, 8),
        (ShareKind::Steps, 9),
        (ShareKind::Question, 6),
        (ShareKind::Reserve, 20),
        (ShareKind::Free, 50),
    ];
    assert_eq!(shares, expected);
}

#[test]
fn question_in_the_history_counts_as_the_question() {
    let history = json!({ "kind": "history", "first": "a", "last": "a", "count": 1, "tokens": 3 });
    let lens = Lens::of(&journal(&[
        created(),
        committed(&[message("a", "user", HELLO, 3)]),
        of("chat", "node.started", &json!({ "attempt": 1 })),
        rendered(0, &prompt(&json!([history]))),
    ]));
    let call = &lens.calls(&CallFilter::default())[0];
    assert!(call.shares.contains(&PromptShare { kind: ShareKind::Question, tokens: 3 }));
    assert!(!call.shares.iter().any(|share| share.kind == ShareKind::History));
    assert_eq!(call.badges, [PromptBadge::NoReply]);
}

#[test]
fn blocks_are_one_message_and_keep_their_cuts() {
    let parts = json!([
        { "kind": "block", "block": "memory", "text": "Ada: Hello.", "tokens": 4, "cut": { "cap": 10, "tokens": 21 } },
        { "kind": "block", "block": "partner", "text": "What now?", "tokens": 3 },
    ]);
    let lens = Lens::of(&journal(&[
        of("chat", "node.started", &json!({ "attempt": 1 })),
        rendered(0, &prompt(&parts)),
    ]));
    let call = &lens.calls(&CallFilter::default())[0];
    assert_eq!(texts(call), [(Role::User, "Ada: Hello.\n\nWhat now?")]);
    assert_eq!(call.messages[0].tokens, Some(7));
    assert!(matches!(&call.left_out[..], [LeftOut::Block { cut, .. }] if cut.tokens == 21));
    assert!(call.badges.contains(&PromptBadge::BlockCut));
}

#[test]
fn messages_of_a_deleted_conversation_are_missing() {
    let history = json!({ "kind": "history", "first": "gone", "last": "gone too", "count": 2, "tokens": 8 });
    let lens = Lens::of(&journal(&[
        of("chat", "node.started", &json!({ "attempt": 1 })),
        rendered(0, &prompt(&json!([history]))),
    ]));
    let missing = &lens.calls(&CallFilter::default())[0].messages[0];
    assert_eq!((missing.part, missing.missing, missing.tokens), (MessagePart::Missing, Some(2), Some(8)));
    assert!(lens.request(&chat(), 0).unwrap().is_incomplete);
}

#[test]
fn rejected_reply_is_sent_with_the_reason() {
    let question = json!({ "kind": "message", "role": "user", "text": "A number?", "tokens": 3 });
    let step =
        json!({ "kind": "step", "step": 0, "count": 2, "tokens": 9, "rejection": "That is not a number." });
    let lens = Lens::of(&journal(&[
        of("chat", "node.started", &json!({ "attempt": 1 })),
        rendered(0, &prompt(&json!([question]))),
        replied(0, &json!({ "text": "Four", "stopReason": "end" })),
        rendered(1, &prompt(&json!([question, step]))),
    ]));
    let expected =
        [(Role::User, "A number?"), (Role::Assistant, "Four"), (Role::User, "That is not a number.")];
    assert_eq!(texts(&lens.calls(&CallFilter::default())[1]), expected);
}

#[test]
fn history_of_parallel_iterations_has_only_their_own_messages() {
    let own = |id: &str, role: &str, epoch: u32| {
        let mut message = message(id, role, id, 1);
        message["author"]["epoch"] = json!([epoch]);
        message
    };
    let history = json!({ "kind": "history", "first": "before", "last": "one", "count": 2, "tokens": 2 });
    let lens = Lens::of(&journal(&[
        created(),
        committed(&[message("before", "user", "before", 1)]),
        committed(&[own("zero", "assistant", 0)]),
        committed(&[own("one", "assistant", 1)]),
        in_epoch("chat", &[1], "node.started", &json!({ "attempt": 1 })),
        in_epoch("chat", &[1], "prompt.rendered", &json!({ "step": 0, "prompt": prompt(&json!([history])) })),
    ]));
    assert_eq!(
        texts(&lens.calls(&CallFilter::default())[0]),
        [(Role::User, "before"), (Role::Assistant, "one")]
    );
}

#[test]
fn request_has_settings_tools_and_the_key_that_was_sent() {
    let tools = json!([
        { "name": "look", "description": "Looks.", "parameters": {}, "source": "native" },
        { "name": "other", "description": "Not offered.", "parameters": {}, "source": "native" },
    ]);
    let mut sent = prompt(&json!([{ "kind": "message", "role": "user", "text": "And now?", "tokens": 6 }]));
    sent["tools"] = json!(["look"]);
    sent["settings"] = json!({ "temperature": 0.5, "maxTokens": 12, "options": { "top_p": 0.9 } });
    let lens = Lens::of(&journal(&[
        of("tools", "node.started", &json!({ "attempt": 1 })),
        of(
            "tools",
            "node.finished",
            &json!({ "outputs": { "tools": tools }, "metadata": { "durationMs": 1 } }),
        ),
        of(
            "chat",
            "node.ready",
            &json!({ "inputs": { "tools": [{ "node": "tools", "epoch": [], "port": "tools" }] } }),
        ),
        of("chat", "node.started", &json!({ "attempt": 1 })),
        rendered(0, &sent),
        replied(0, &json!({ "text": "Yes", "stopReason": "end" })),
    ]));
    let rebuilt = lens.request(&chat(), 0).unwrap();
    let request = &rebuilt.request;
    assert_eq!(request.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["look"]);
    assert_eq!((request.temperature, request.max_tokens, request.window), (Some(0.5), Some(12), Some(100)));
    assert_eq!(request.options, json!({ "top_p": 0.9 }));
    assert_eq!(rebuilt.key, Some("key 0".into()));
    assert!(!rebuilt.is_incomplete);
    assert!(lens.request(&chat(), 1).is_none());
}

#[test]
fn search_finds_text_in_any_case_and_history_once() {
    let lens = Lens::of(&run_with_tools());
    let places = |text: &str| -> Vec<(usize, Option<usize>)> {
        lens.search(text).into_iter().map(|hit| (hit.call, hit.message)).collect()
    };
    assert_eq!(
        places("who ARE"),
        [(0, Some(1))],
        "a message of the history: in the first prompt that has it"
    );
    assert_eq!(places("looked"), [(1, None)], "a reply");
    assert_eq!(places("be brief"), [(0, Some(0)), (1, Some(0))]);
    assert!(places("  ").is_empty());
    let hit = &lens.search("ARE")[0];
    assert_eq!((hit.before.as_str(), hit.found.as_str(), hit.after.as_str()), ("Who ", "are", " you?"));
}

#[test]
fn search_keeps_positions_where_lower_case_is_longer() {
    // The lower case of this letter has two characters.
    let question = json!({ "kind": "message", "role": "user", "text": "İİ: ask İstanbul", "tokens": 3 });
    let lens = Lens::of(&journal(&[
        of("chat", "node.started", &json!({ "attempt": 1 })),
        rendered(0, &prompt(&json!([question]))),
    ]));
    let hit = &lens.search("istanbul").pop();
    assert!(hit.is_none(), "the dotted letter is another one");
    let hit = lens.search("STANBUL").remove(0);
    assert_eq!((hit.found.as_str(), hit.after.as_str()), ("stanbul", ""));
}

#[test]
fn trace_groups_iterations_and_hangs_calls_under_nodes() {
    let started = |node: &str, epoch: &[u32]| in_epoch(node, epoch, "node.started", &json!({ "attempt": 1 }));
    let finished = |node: &str, epoch: &[u32]| {
        in_epoch(node, epoch, "node.finished", &json!({ "outputs": {}, "metadata": { "durationMs": 1 } }))
    };
    let lens = Lens::of(&journal(&[
        started("start", &[]),
        finished("start", &[]),
        started("draft", &[0]),
        in_epoch("draft", &[0], "prompt.rendered", &json!({ "step": 0, "prompt": prompt(&json!([])) })),
        in_epoch(
            "draft",
            &[0],
            "model.replied",
            &json!({ "step": 0,
            "reply": { "text": "x", "stopReason": "end", "usage": { "input": 10, "output": 2 } } }),
        ),
        finished("draft", &[0]),
        started("draft", &[1]),
        in_epoch("later", &[1], "node.skipped", &json!({ "reason": "deadInput" })),
    ]));
    let trace = lens.trace(&BTreeMap::new(), &mut |_| None);
    let [start, first, second] = &trace.children[..] else { panic!("{trace:#?}") };
    assert_eq!((start.kind, start.name.as_str(), start.duration_ms()), (TraceKind::Node, "start", Some(10)));
    assert_eq!(
        (first.kind, first.epoch.to_string(), first.tokens.input),
        (TraceKind::Iteration, "#0".into(), 10)
    );
    let [draft] = &first.children[..] else { panic!("{first:#?}") };
    let [call] = &draft.children[..] else { panic!("{draft:#?}") };
    assert_eq!((call.kind, call.name.as_str(), call.duration_ms()), (TraceKind::ModelCall, "p/m", Some(10)));
    assert_eq!(
        (second.ended_at, second.children.len()),
        (None, 1),
        "it goes on; what was skipped is left out"
    );
    assert_eq!(second.children[0].state, Some(NodeState::Running));
}

#[test]
fn turns_of_a_loop_are_marked_and_their_text_begins_the_message() {
    let turns = json!({ "kind": "turns", "node": "talk", "epoch": [], "first": 0, "count": 2, "tokens": 7,
        "text": "<turns>" });
    let question = json!({ "kind": "message", "role": "user", "text": "And now?", "tokens": 6 });
    let mut sent = prompt(&json!([turns, question]));
    sent["conversation"] = json!({ "node": "talk", "epoch": [], "strategy": "truncate_turns", "sent": 2, "tokens": 7,
        "leftOut": [{ "reason": "maxTurns", "first": 0, "count": 3 }] });
    let lens =
        Lens::of(&journal(&[of("chat", "node.started", &json!({ "attempt": 1 })), rendered(0, &sent)]));
    let call = &lens.calls(&CallFilter::default())[0];
    assert!(call.badges.contains(&PromptBadge::ConversationInjected));
    assert!(matches!(call.left_out[..], [LeftOut::Turns { count: 3, .. }]));
    assert_eq!(texts(call), [(Role::User, "<turns>"), (Role::User, "And now?")]);
    assert!(call.shares.contains(&PromptShare { kind: ShareKind::History, tokens: 7 }));
    // One message, as the model got it.
    let rebuilt = lens.request(&chat(), 0).unwrap();
    let texts: Vec<String> = rebuilt.request.messages.iter().map(|message| message.content.text()).collect();
    assert_eq!(texts, ["<turns>\n\nAnd now?"]);
    assert!(!rebuilt.is_incomplete);
}

#[test]
fn earlier_turns_of_a_loop_come_from_its_history() {
    let turn = |id: &str, role: &str| message(id, role, id, 1);
    let turns = json!({ "kind": "turns", "node": "talk", "epoch": [], "first": 1, "own": 3, "count": 3, "tokens": 7,
        "current": [{ "role": "assistant", "text": "just now", "node": "helper" }] });
    let mut sent = prompt(&json!([turns]));
    sent["conversation"] =
        json!({ "node": "talk", "epoch": [], "strategy": "truncate_turns", "sent": 3, "tokens": 7 });
    let appended = |turns: Value| of("talk", "history.appended", &json!({ "turns": turns }));
    let lens = Lens::of(&journal(&[
        appended(json!([turn("zero", "user"), turn("one", "assistant")])),
        appended(json!([turn("two", "user"), turn("own", "assistant")])),
        of("chat", "node.started", &json!({ "attempt": 1 })),
        rendered(0, &sent),
        appended(json!([turn("later", "user")])),
    ]));
    let expected = [(Role::Assistant, "one"), (Role::User, "two"), (Role::Assistant, "just now")];
    assert_eq!(texts(&lens.calls(&CallFilter::default())[0]), expected);
    assert!(!lens.request(&chat(), 0).unwrap().is_incomplete);
}

/// Name, epoch and children of a span.
fn outline(span: &TraceSpan) -> Value {
    let inside: Vec<Value> = span.children.iter().map(outline).collect();
    json!([span.name, span.epoch.to_string(), inside])
}

#[test]
fn trace_nests_iterations_in_their_loops() {
    let started = |node: &str, epoch: &[u32]| in_epoch(node, epoch, "node.started", &json!({ "attempt": 1 }));
    let finished = |node: &str, epoch: &[u32]| {
        let usage = json!({ "durationMs": 1, "tokenUsage": { "input": 10, "output": 1 } });
        in_epoch(node, epoch, "node.finished", &json!({ "outputs": {}, "metadata": usage }))
    };
    let iteration = |node: &str, epoch: &[u32]| in_epoch(node, epoch, "iteration.started", &json!({}));
    let lens = Lens::of(&journal(&[
        started("one", &[]),
        iteration("one", &[0]),
        started("other", &[]),
        iteration("other", &[0]),
        started("a", &[0]),
        finished("a", &[0]),
        started("inner", &[0]),
        iteration("inner", &[0, 0]),
        started("b", &[0, 0]),
        finished("b", &[0, 0]),
        finished("inner", &[0]),
        started("c", &[0]),
        finished("c", &[0]),
        finished("one", &[]),
    ]));
    let parents = [("a", "one"), ("inner", "one"), ("b", "inner"), ("c", "other")];
    let parents = parents.into_iter().map(|(node, parent)| (node.into(), parent.into())).collect();
    let trace = lens.trace(&parents, &mut |_| None);
    let tree: Vec<Value> = trace.children.iter().map(outline).collect();
    let inner = json!(["inner", "#0", [["", "#0.0", [["b", "#0.0", []]]]]]);
    let expected = json!([
        ["one", "", [["", "#0", [["a", "#0", []], inner]]]],
        ["other", "", [["", "#0", [["c", "#0", []]]]]],
    ]);
    assert_eq!(json!(tree), expected);
    // What the loop itself reports, and what its iterations used.
    assert_eq!(trace.children[0].tokens.input, 10 + 10 + 20);
}

#[test]
fn summary_of_a_loop_is_shown_with_its_text() {
    let turns = json!({ "kind": "turns", "node": "talk", "epoch": [], "summary": [1], "first": 2, "count": 1,
        "tokens": 7 });
    let summary = json!({ "attempt": "written", "text": "They met.", "tokens": 6, "covered": 2 });
    let lens = Lens::of(&journal(&[
        in_epoch("talk", &[1], "node.started", &json!({ "attempt": 1 })),
        in_epoch(
            "talk",
            &[1],
            "node.finished",
            &json!({ "outputs": { "continue": true, "summary": summary }, "metadata": { "durationMs": 1 } }),
        ),
        of("chat", "node.started", &json!({ "attempt": 1 })),
        rendered(0, &prompt(&json!([turns]))),
    ]));
    let calls = lens.calls(&CallFilter::default());
    assert_eq!(texts(calls.last().unwrap()), [(Role::Assistant, "They met.")]);
    assert!(!lens.request(&chat(), 0).unwrap().is_incomplete);
}

#[test]
fn attachments_are_shown_with_their_message_and_have_a_share_of_their_own() {
    let photo = |name: &str| json!({ "hash": "0", "mediaType": "image/png", "name": name, "bytes": 68, "width": 200, "height": 200 });
    let mut earlier = message("a", "user", "Look", 64);
    let mut part = photo("first.png");
    part["type"] = json!("attachment");
    earlier["content"] = json!([{ "type": "text", "text": "Look" }, part]);
    let parts = json!([
        { "kind": "history", "first": "a", "last": "b", "count": 2, "tokens": 70 },
        { "kind": "message", "role": "user", "text": "And this?", "tokens": 7 },
        { "kind": "attachments", "attachments": [photo("second.png")], "tokens": 54 },
    ]);
    let lens = Lens::of(&journal(&[
        created(),
        committed(&[earlier, message("b", "assistant", "A cat.", 6)]),
        rendered(0, &prompt(&parts)),
        replied(0, &json!({ "text": "A dog.", "stopReason": "end" })),
    ]));
    let call = lens.calls(&CallFilter::default()).remove(0);
    let names: Vec<Vec<&str>> = call
        .messages
        .iter()
        .map(|message| message.attachments.iter().map(|attachment| attachment.name.as_str()).collect())
        .collect();
    assert_eq!(names, [vec!["first.png"], vec![], vec!["second.png"]]);
    assert_eq!(call.messages[2].tokens, Some(61));
    let share = |kind| call.shares.iter().find(|share| share.kind == kind).map(|share| share.tokens);
    // 200 × 200 pixels are 54 tokens, in the history and in the question.
    assert_eq!(share(ShareKind::Attachments), Some(108));
    assert_eq!((share(ShareKind::History), share(ShareKind::Question)), (Some(16), Some(7)));
    // The request has the parts, too.
    let request = lens.request(&Activation { node: "chat".into(), epoch: Epoch::root() }, 0).unwrap().request;
    let sent = |at: usize| request.messages[at].content.attachments().count();
    assert_eq!((sent(0), sent(1), sent(2)), (1, 0, 1));
}
