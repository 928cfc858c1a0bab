//! What a run may cost.

use super::*;
use plait_llm::models::{ModelOverride, Price};

/// A dollar for a million tokens in, two for a million out.
fn priced(model: &str) -> ModelOverrides {
    let price = Price { input: 1.0, output: 2.0, ..Price::default() };
    let note = ModelOverride { price: Some(price), ..ModelOverride::default() };
    ModelOverrides { notes: [(model.to_owned(), note)].into(), ..ModelOverrides::default() }
}

fn chats(config: &Value) -> flow::Flow {
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
        "loop": { "type": "loop", "config": { "kind": "times", "times": 3 } },
        "chat": { "type": "chat", "parent": "loop", "config": config },
    });
    let edges =
        ["start.context -> loop.context", "loop.context -> chat.context", "chat.response -> loop.next"];
    flow_of(&nodes, &edges, &json!({ "contextWindow": 2_000 }))
}

#[test]
fn known_prompts_and_replies_cost_exactly_so_much_at_most() {
    let forecast =
        forecast_with(&chats(&json!({ "prompt": "Go on.", "maxTokens": 50 })), priced("openai/gpt-4o"));
    // Prompts of 7, 68 and 129 tokens, replies of 50: 1,000 billionths of a dollar a token in, 2,000 out.
    assert_eq!(
        forecast.cost,
        CostForecast {
            by_node: forecast.cost.by_node.clone(),
            at_most_nano_usd: (7 + 68 + 129) * 1_000 + 3 * 50 * 2_000,
            unknown: vec![]
        }
    );
    let chat = node(&forecast, "chat");
    assert_eq!(chat.at_most_nano_usd, Some(504_000));
    assert_eq!(chat.nano_usd_per_call, Some(504_000 / 3));
}

#[test]
fn reply_of_any_length_has_no_upper_bound() {
    let forecast = forecast_with(&chats(&json!({ "prompt": "Go on." })), priced("openai/gpt-4o"));
    let unknown = UnknownCost { node: "chat".into(), reason: UnknownReason::NoMaxTokens };
    assert_eq!(forecast.cost, CostForecast { unknown: vec![unknown], ..CostForecast::default() });
    assert!(node(&forecast, "chat").nano_usd_per_call.is_some());
}

#[test]
fn model_without_a_price_is_named() {
    let flow = chats(
        &json!({ "prompt": "Go on.", "maxTokens": 50, "overrideProvider": "mine", "overrideModel": "m" }),
    );
    let forecast = forecast_of(&flow);
    let reason = UnknownReason::NoPrice { model: "mine/m".to_owned() };
    assert_eq!(forecast.cost.unknown, [UnknownCost { node: "chat".into(), reason }]);
    assert_eq!(node(&forecast, "chat").nano_usd_per_call, None);
}

#[test]
fn what_a_person_says_takes_at_most_the_window() {
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
        "ask": { "type": "userInput" },
        "chat": { "type": "chat", "config": { "maxTokens": 100 } },
    });
    let edges = ["start.context -> chat.context", "ask.message -> chat.message"];
    let flow = flow_of(&nodes, &edges, &json!({ "contextWindow": 6_400 }));
    let forecast = forecast_with(&flow, priced("openai/gpt-4o"));
    // The window without the reserve: 100 and a 64th.
    assert_eq!(forecast.cost.at_most_nano_usd, (6_400 - 200) * 1_000 + 100 * 2_000);
    assert!(node(&forecast, "chat").nano_usd_per_call.unwrap() < forecast.cost.at_most_nano_usd / 10);
}

#[test]
fn what_a_user_is_known_for_takes_at_most_the_window() {
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
        "query": { "type": "value", "config": { "value": "travel" } },
        "known": { "type": "recall" },
        "chat": { "type": "chat", "config": { "prompt": "Plan it: {{known}}", "maxTokens": 100 } },
    });
    let edges = ["start.context -> chat.context", "query.value -> known.query", "known.text -> chat.known"];
    let flow = flow_of(&nodes, &edges, &json!({ "contextWindow": 6_400 }));
    let forecast = forecast_with(&flow, priced("openai/gpt-4o"));
    assert_eq!(forecast.cost.at_most_nano_usd, (6_400 - 200) * 1_000 + 100 * 2_000);
}

#[test]
fn tools_of_a_server_may_be_called_in_each_round() {
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
        "server": { "type": "mcpServer", "config": { "server": "files" } },
        "chat": { "type": "chat", "config": { "prompt": "Hi", "maxTokens": 100, "maxToolRounds": 3 } },
    });
    let edges = ["start.context -> chat.context", "server.tools -> chat.tools"];
    let flow = flow_of(&nodes, &edges, &json!({ "contextWindow": 6_400 }));
    let forecast = forecast_with(&flow, priced("openai/gpt-4o"));
    // The first call and three rounds; nobody knows what the server says of its tools.
    assert_eq!(forecast.cost.at_most_nano_usd, 4 * ((6_400 - 200) * 1_000 + 100 * 2_000));
}

#[test]
fn simulator_costs_nothing_without_any_bound() {
    let nodes = json!({ "start": { "type": "contextStart" }, "chat": { "type": "chat", "config": { "prompt": "Hi" } } });
    let forecast = forecast_of(&flow_of(&nodes, &["start.context -> chat.context"], &json!({})));
    assert_eq!((forecast.cost.at_most_nano_usd, forecast.cost.unknown), (0, vec![]));
}

#[test]
fn flow_inside_is_unknown() {
    let inner = json!({ "version": 1, "nodes": {}, "edges": {} });
    let nodes = json!({
        "start": { "type": "contextStart" },
        "sub": { "type": "subflow", "config": { "flow": inner } },
    });
    let forecast = forecast_of(&flow_of(&nodes, &["start.context -> sub.context"], &json!({})));
    assert_eq!(forecast.cost.unknown, [UnknownCost { node: "sub".into(), reason: UnknownReason::Subflow }]);
}

#[test]
fn earlier_runs_say_how_long_replies_are() {
    let flow = chats(&json!({ "prompt": "Go on." }));
    let mut earlier = MeasuredSizes::default();
    earlier.add_run(&RunView::of(&run(&flow)));
    let request = ForecastRequest {
        flow_name: "flow",
        input: None,
        models: Arc::new(priced("openai/gpt-4o")),
        tools: Arc::default(),
        earlier: Arc::new(earlier),
        live: Arc::default(),
        so_far: None,
    };
    let forecast = forecast(plan_of(&flow), &request).unwrap();
    assert_eq!(
        node(&forecast, "chat").reply,
        Some(SizeEstimate { tokens: 300, source: SizeSource::Measured })
    );
}
