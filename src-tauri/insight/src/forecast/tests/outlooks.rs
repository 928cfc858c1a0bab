//! What becomes of prompts, with exact numbers on small flows.

use super::*;

/// A loop with an agent that asks the same each time and replies with this many tokens.
fn chat_loop(config: &Value, max_tokens: u32, window: u32) -> flow::Flow {
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "systemInstructions": "Be brief." } },
        "loop": { "type": "loop", "config": config },
        "chat": { "type": "chat", "parent": "loop", "config": { "prompt": "Go on.", "maxTokens": max_tokens } },
    });
    let edges =
        ["start.context -> loop.context", "loop.context -> chat.context", "chat.response -> loop.next"];
    flow_of(&nodes, &edges, &json!({ "contextWindow": window }))
}

#[test]
fn forecast_of_a_small_loop_has_the_counted_tokens() {
    let flow = chat_loop(&json!({ "kind": "times", "times": 4 }), 50, 1_000);
    let forecast = forecast_of(&flow);
    let chat = node(&forecast, "chat");
    // "Be brief." and "Go on." have 3 tokens each, and every message 4 more.
    let system = 3 + 4;
    let turn = (3 + 4) + (50 + 4);
    let expected: Vec<u64> = (0..4).map(|at| system + at * turn + 7).collect();
    assert_eq!(chat.points.iter().map(|point| point.tokens).collect::<Vec<_>>(), expected);
    assert_eq!((chat.growth, chat.window, chat.reserve), (turn, 1_000, 50 + 15));
    assert_eq!(chat.outlook, Outlook::Fits { percent: 26, iteration: Some("4".to_owned()) });
    assert_eq!(chat.executions, Executions { at_most: Some(4), is_exact: true });
    assert_eq!(chat.reply, Some(SizeEstimate { tokens: 50, source: SizeSource::MaxTokens }));
    assert_as_run(&flow, &["chat"]);
}

#[test]
fn overflow_beyond_what_a_dry_run_looks_at_is_where_the_run_trims() {
    // 61 tokens a turn, and 7,934 beside the reserve: the 130th of 200 iterations is the last that fits.
    let flow = chat_loop(&json!({ "kind": "times", "times": 200, "max_iterations": 300 }), 50, 8_110);
    let forecast = forecast_of(&flow);
    let chat = node(&forecast, "chat");
    assert!(chat.points.len() < 130, "the dry run did not see it");
    let (real, fails) = first_overflow(&run(&flow), "chat").unwrap();
    let Outlook::Overflows { iteration, fails: said, .. } = &chat.outlook else { panic!("{chat:?}") };
    assert_eq!((iteration, *said), (&real, fails));
}

#[test]
fn unbounded_while_says_how_often_it_runs_at_most() {
    let config = json!({ "condition": "previous != \"done\"", "max_iterations": 7 });
    let forecast = forecast_of(&chat_loop(&config, 20, 8_000));
    let chat = node(&forecast, "chat");
    assert_eq!(chat.executions, Executions { at_most: Some(7), is_exact: false });
    assert_eq!(chat.points.len(), 7, "a condition on a reply does not end it");
    let config = json!({ "condition": "index < 3", "max_iterations": 7 });
    let forecast = forecast_of(&chat_loop(&config, 20, 8_000));
    assert_eq!(node(&forecast, "chat").executions, Executions { at_most: Some(3), is_exact: true });
}

#[test]
fn strategy_of_a_conversation_holds_the_prompt() {
    let management = json!({ "strategy": "truncate_turns", "max_turns": 3 });
    let config =
        json!({ "kind": "times", "times": 40, "conversation": true, "history_management": management });
    let flow = chat_loop(&config, 50, 1_000);
    assert!(matches!(node(&forecast_of(&flow), "chat").outlook, Outlook::Bounded { percent: 10..=30 }));
    assert_as_run(&flow, &["chat"]);
}

#[test]
fn summaries_of_a_conversation_are_part_of_the_forecast() {
    let management = json!({ "strategy": "summarize", "max_tokens": 200 });
    let config =
        json!({ "kind": "times", "times": 30, "conversation": true, "history_management": management });
    let flow = chat_loop(&config, 50, 1_000);
    let Outlook::Bounded { percent } = node(&forecast_of(&flow), "chat").outlook else { panic!() };
    // At most 200 tokens of turns, 7 of instructions, 7 of the message, and the reserve.
    assert!(percent <= (200 + 14 + 65) / 10 + 1, "{percent}");
}

#[test]
fn prompt_that_never_fits_is_named() {
    let mut flow = chat_loop(&json!({ "kind": "times", "times": 3 }), 50, 1_000);
    let config = &mut flow.nodes.get_mut("chat").unwrap().config;
    config.insert("prompt".to_owned(), filler::text(2_000, 1).into());
    let forecast = forecast_of(&flow);
    let expected = Outlook::Overflows { iteration: Some("1".to_owned()), fails: true, before: None };
    assert_eq!(node(&forecast, "chat").outlook, expected);
    assert_as_run(&flow, &["chat"]);
}

#[test]
fn cycle_that_people_end_overflows_at_some_time() {
    let nodes = json!({
        "start": { "type": "contextStart" },
        "ask": { "type": "userInput", "config": {} },
        "chat": { "type": "chat", "config": { "maxTokens": 100 } },
    });
    let edges =
        ["start.context -> ask.context", "ask.context -> chat.context", "chat.context -> ask.context"];
    let forecast = forecast_of(&flow_of(&nodes, &edges, &json!({ "contextWindow": 4_000 })));
    let chat = node(&forecast, "chat");
    assert_eq!(chat.executions, Executions { at_most: None, is_exact: false });
    assert!(matches!(&chat.outlook, Outlook::Overflows { fails: false, before: Some(_), .. }), "{chat:?}");
    assert_eq!(chat.growth, 100 + 4 + 40 + 4);
}

#[test]
fn items_that_nobody_knows_count_up_to_the_limit() {
    let nodes = json!({
        "ask": { "type": "userInput", "config": {} },
        "start": { "type": "contextStart" },
        "list": { "type": "json", "config": { "query": ".items" } },
        "each": { "type": "loop", "config": { "kind": "forEach", "max_iterations": 25 } },
        "chat": { "type": "chat", "parent": "each", "config": { "prompt": "Sum up: {{item}}", "maxTokens": 30 } },
    });
    let edges = [
        "ask.message -> list.value",
        "list.result -> each.items",
        "start.context -> each.context",
        "each.context -> chat.context",
        "each.item -> chat.item",
        "chat.response -> each.next",
    ];
    let forecast = forecast_of(&flow_of(&nodes, &edges, &json!({})));
    assert_eq!(node(&forecast, "chat").executions, Executions { at_most: Some(25), is_exact: false });
}

#[test]
fn branches_that_a_reply_chooses_all_count() {
    let nodes = json!({
        "start": { "type": "contextStart" },
        "ask": { "type": "userInput" },
        "route": { "type": "classify", "config": {} },
        "one": { "type": "chat" },
        "other": { "type": "chat" },
    });
    let edges = [
        "start.context -> route.context",
        "ask.message -> route.message",
        "route.question -> one.message",
        "route.request -> other.message",
        "start.context -> one.context",
        "start.context -> other.context",
    ];
    let forecast = forecast_of(&flow_of(&nodes, &edges, &json!({})));
    assert_eq!(forecast.branching, vec!["route".into()]);
    for id in ["one", "other"] {
        assert_eq!(node(&forecast, id).executions, Executions { at_most: Some(1), is_exact: false });
    }
    assert!(node(&forecast, "route").executions.is_exact);
}

#[test]
fn forecast_of_a_run_starts_from_what_it_has_sent() {
    let flow = chat_loop(&json!({ "kind": "times", "times": 5 }), 50, 1_000);
    let entries = run(&flow);
    // The run as it stands when the second reply has come.
    let replied = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| matches!(&entry.event, Event::Call(_, CallEvent::ModelReplied { .. })));
    let end = replied.map(|(at, _)| at).nth(1).unwrap();
    let so_far = RunView::of(&entries[..=end]);
    let mut live = MeasuredSizes::default();
    live.add_run(&so_far);
    let request = ForecastRequest {
        flow_name: "flow",
        input: None,
        models: Arc::default(),
        tools: Arc::default(),
        earlier: Arc::default(),
        live: Arc::new(live),
        so_far: Some(&so_far),
    };
    let forecast = forecast(plan_of(&flow), &request).unwrap();
    let chat = node(&forecast, "chat");
    let sent: Vec<bool> = chat.points.iter().map(|point| point.sent).collect();
    assert_eq!(sent, [true, true, false, false, false]);
    assert_eq!(chat.reply.map(|reply| reply.source), Some(SizeSource::Measured));
    let real: Vec<u64> = prompts(&entries, "chat").map(|(_, prompt)| prompt.tokens).collect();
    assert_eq!(chat.points.iter().map(|point| point.tokens).collect::<Vec<_>>(), real);
    assert!(forecast.spent.is_some());
}

#[test]
fn nodes_stand_in_the_order_of_their_calls() {
    let nodes = json!({
        "start": { "type": "contextStart" },
        "loop": { "type": "loop", "config": { "kind": "times", "times": 2 } },
        "inside": { "type": "chat", "parent": "loop", "config": { "prompt": "Go on." } },
        "after": { "type": "chat" },
    });
    let edges = [
        "start.context -> loop.context",
        "loop.context -> inside.context",
        "inside.response -> loop.next",
        "loop.context -> after.context",
        "loop.result -> after.message",
    ];
    let forecast = forecast_of(&flow_of(&nodes, &edges, &json!({})));
    let order: Vec<&str> = forecast.nodes.iter().map(|node| node.node.as_str()).collect();
    assert_eq!(order, ["inside", "after"]);
}

#[test]
fn forecast_of_a_hundred_thousand_nodes_ends() {
    let mut nodes = json!({
        "start": { "type": "contextStart" },
        "chat": { "type": "chat", "config": { "prompt": "Hello" } },
    });
    let mut edges = vec!["start.context -> chat.context".to_owned()];
    for at in 0..100_000 {
        nodes[format!("t{at:06}")] = json!({ "type": "text", "config": { "template": "{{in}}" } });
        if at > 0 {
            edges.push(format!("t{:06}.text -> t{at:06}.in", at - 1));
        }
    }
    edges.push("chat.response -> t000000.in".to_owned());
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    let forecast = forecast_of(&flow_of(&nodes, &edges, &json!({})));
    assert!(!forecast.is_cut);
    assert_eq!(forecast.nodes.len(), 1);
}
