use serde_json::{Value, json};

use super::*;

fn read(config: Value) -> ConversationSettings {
    serde_json::from_value(config).expect("valid settings")
}

fn problem_places(config: Value) -> Vec<String> {
    read(config).problems().into_iter().map(|(pointer, _)| pointer).collect()
}

#[test]
fn defaults_are_those_of_the_pipeline_format() {
    let settings = read(json!({}));
    assert!(!settings.conversation);
    assert_eq!(settings.history_management.strategy, HistoryStrategy::TruncateTokens);
    assert_eq!(settings.history_management.token_bound(), Some(4096));
    assert_eq!(settings.history_management.turn_bound(), None);
    assert_eq!(settings.ai_turn_source, AiTurnSource::Last);
    assert_eq!(settings.user_turn_sources, ["hitl"]);
    assert!(settings.init.history.start_with.from_initial_input);
    assert_eq!(settings.problems(), []);
}

#[test]
fn all_keys_of_the_pipeline_format_are_read() {
    let settings = read(json!({
        "conversation": true,
        "history_management": {
            "strategy": "summarize", "max_tokens": 900, "max_turns": 7,
            "summarizer_agent": "convo_summarizer", "summarize_ratio": 0.4,
        },
        "ai_turn_source": "named_steps",
        "named_steps": ["clarify", "finalize"],
        "user_turn_sources": ["hitl", "ask"],
        "history_template": "{{#each history}}\n{{ this.role }}: {{ this.content }}\n{{/each}}",
        "init": { "history": { "start_with": { "from_initial_input": false, "prefix": "User: " } } },
    }));
    let management = &settings.history_management;
    assert_eq!((management.token_bound(), management.turn_bound()), (Some(900), Some(7)));
    assert!((management.ratio() - 0.4).abs() < f64::EPSILON);
    assert_eq!(settings.init.history.start_with.prefix, "User: ");
    assert_eq!(settings.problems(), []);
    let named: Vec<_> = settings.named_nodes().collect();
    assert_eq!(named[0], ("/named_steps/0".to_owned(), "clarify"));
    assert_eq!(named[2], ("/user_turn_sources/1".to_owned(), "ask"));
    assert_eq!(named[3], ("/history_management/summarizer_agent".to_owned(), "convo_summarizer"));
}

#[test]
fn bounds_count_for_the_strategy_that_they_belong_to() {
    let bounds = |strategy: &str, written: bool| {
        let written = if written {
            json!({ "strategy": strategy, "max_tokens": 10, "max_turns": 2 })
        } else {
            json!({ "strategy": strategy })
        };
        let management: HistoryManagement = serde_json::from_value(written).expect("valid settings");
        (management.token_bound(), management.turn_bound())
    };
    assert_eq!(bounds("truncate_tokens", true), (Some(10), None));
    assert_eq!(bounds("truncate_turns", true), (None, Some(2)));
    assert_eq!(bounds("summarize", true), (Some(10), Some(2)));
    assert_eq!(bounds("truncate_tokens", false), (Some(4096), None));
    assert_eq!(bounds("truncate_turns", false), (None, Some(20)));
    assert_eq!(bounds("summarize", false), (Some(4096), None));
}

#[test]
fn a_ratio_outside_of_0_and_1_is_a_half() {
    for (written, ratio) in [(0.0, 0.5), (1.0, 0.5), (-0.2, 0.5), (7.0, 0.5), (0.25, 0.25), (0.999, 0.999)] {
        let management = HistoryManagement { summarize_ratio: Some(written), ..HistoryManagement::default() };
        assert!((management.ratio() - ratio).abs() < f64::EPSILON, "{written}");
    }
}

#[test]
fn zero_bounds_are_problems_at_their_place() {
    let config = json!({ "history_management": { "max_tokens": 0, "max_turns": 0 } });
    assert_eq!(problem_places(config), ["/history_management/max_tokens", "/history_management/max_turns"]);
}

#[test]
fn unknown_keys_are_refused() {
    for config in [
        json!({ "history_management": { "max_token": 7 } }),
        json!({ "init": { "histroy": {} } }),
        json!({ "init": { "history": { "start_with": { "prefixes": "" } } } }),
        json!({ "history_management": { "strategy": "truncate" } }),
        json!({ "ai_turn_source": "first" }),
    ] {
        assert!(serde_json::from_value::<ConversationSettings>(config.clone()).is_err(), "{config}");
    }
}

#[test]
fn a_step_in_both_sources_is_a_problem() {
    let both = json!({
        "ai_turn_source": "named_steps", "named_steps": ["a"], "user_turn_sources": ["named_steps"],
    });
    assert_eq!(problem_places(both), ["/user_turn_sources"]);
    let one = json!({ "ai_turn_source": "named_steps", "named_steps": ["a", "b"], "user_turn_sources": ["hitl", "b"] });
    assert_eq!(problem_places(one), ["/user_turn_sources/1"]);
}

#[test]
fn named_steps_without_names_are_a_problem() {
    assert_eq!(problem_places(json!({ "ai_turn_source": "named_steps" })), ["/named_steps"]);
    assert_eq!(problem_places(json!({ "user_turn_sources": ["named_steps"] })), ["/named_steps"]);
}

#[test]
fn sources_decide_about_each_node() {
    let (ask, draft, last) = (NodeId::from("ask"), NodeId::from("draft"), NodeId::from("final"));
    let settings = read(json!({}));
    assert!(settings.is_user_source(&ask, true) && !settings.is_user_source(&draft, false));
    assert!(settings.is_ai_source(&last, Some(&last)) && !settings.is_ai_source(&draft, Some(&last)));
    assert!(!settings.is_ai_source(&last, None), "the last node is no model node");
    let all = read(json!({ "ai_turn_source": "all_agents" }));
    assert!(all.is_ai_source(&draft, Some(&last)) && all.is_ai_source(&last, None));
    let named = read(json!({ "ai_turn_source": "named_steps", "named_steps": ["draft"] }));
    assert!(named.is_ai_source(&draft, Some(&last)) && !named.is_ai_source(&last, Some(&last)));
    let users = read(json!({ "user_turn_sources": ["draft"] }));
    assert!(users.is_user_source(&draft, false) && !users.is_user_source(&ask, true));
}
