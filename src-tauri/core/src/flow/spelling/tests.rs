use serde_json::json;

use crate::flow::read;

fn flow(node_type: &str, config: &serde_json::Value) -> String {
    json!({ "version": 1, "nodes": { "n": { "type": node_type, "config": config } }, "edges": {} })
        .to_string()
}

#[test]
fn settings_of_a_loop_are_read_in_both_spellings() {
    let schema = json!({
        "kind": "times", "max_iterations": 3, "on_error": "stop", "user_turn_sources": ["hitl"],
        "history_management": { "strategy": "truncate_turns", "max_turns": 2 },
    });
    let other = json!({
        "kind": "times", "maxIterations": 3, "onError": "stop", "userTurnSources": ["hitl"],
        "historyManagement": { "strategy": "truncate_turns", "maxTurns": 2 },
    });
    assert_eq!(read(&flow("loop", &other)).unwrap(), read(&flow("loop", &schema)).unwrap());
    let chat = read(&flow("chat", &json!({ "useHistory": false }))).unwrap();
    assert_eq!(chat, read(&flow("chat", &json!({ "use_history": false }))).unwrap());
}

#[test]
fn setting_in_both_spellings_and_settings_of_other_types_are_kept() {
    let both = json!({ "maxIterations": 3, "max_iterations": 4 });
    for (node_type, config) in [("loop", &both), ("plugin", &json!({ "maxIterations": 3 }))] {
        let node = read(&flow(node_type, config)).unwrap().nodes.into_values().next().unwrap();
        assert_eq!(json!(node.config), *config);
    }
}
