use crate::flow::{self, Flow};
use crate::id::NodeId;

fn flow() -> Flow {
    let text = r#"{
        "version": 1,
        "nodes": {
            "chat": {"type": "manualInput", "trigger": "default"},
            "night": {"type": "manualInput", "trigger": "other"},
            "off": {"type": "manualInput", "trigger": "other", "disabled": true},
            "both": {"type": "join"}, "constant": {"type": "value"},
            "in": {"type": "portalIn", "config": {"channel": "n"}}, "out": {"type": "portalOut", "config": {"channel": "n"}},
            "other": {"type": "portalOut", "config": {"channel": "m"}},
            "loop": {"type": "loop"}, "inside": {"type": "text", "parent": "loop"}, "last": {"type": "output"}
        },
        "edges": {
            "1": {"source": "chat", "sourceOutput": "value", "target": "both", "targetInput": "values"},
            "2": {"source": "night", "sourceOutput": "value", "target": "both", "targetInput": "values"},
            "3": {"source": "night", "sourceOutput": "value", "target": "in", "targetInput": "in"},
            "4": {"source": "out", "sourceOutput": "out", "target": "loop", "targetInput": "items"},
            "5": {"source": "both", "sourceOutput": "first", "target": "last", "targetInput": "value"},
            "6": {"source": "constant", "sourceOutput": "value", "target": "inside", "targetInput": "x"}
        }
    }"#;
    flow::read(text).unwrap()
}

fn passed(flow: &Flow) -> Vec<&str> {
    let mut passed: Vec<&str> = flow.disabled_nodes().into_iter().map(NodeId::as_str).collect();
    passed.sort_unstable();
    passed
}

#[test]
fn run_passes_over_what_only_other_triggers_reach() {
    let mut flow = flow();
    assert_eq!(flow.trigger().unwrap().as_str(), "chat");
    assert_eq!(passed(&flow), ["constant", "in", "inside", "loop", "night", "off", "out"]);
    assert!(flow.choose_trigger(&"night".into()));
    assert_eq!(passed(&flow), ["chat", "off"]);
    let written = flow::write(&flow).unwrap();
    assert_eq!(passed(&flow::read(&written).unwrap()), ["chat", "off"]);
}

#[test]
fn only_enabled_triggers_are_chosen() {
    let mut flow = flow();
    for id in ["off", "both", "nobody"] {
        assert!(!flow.choose_trigger(&id.into()), "{id}");
    }
    assert_eq!(flow.trigger().unwrap().as_str(), "chat");
}

#[test]
fn first_trigger_is_taken_where_none_is_the_default() {
    let mut flow = flow();
    flow.nodes.remove("chat");
    assert_eq!(flow.trigger().unwrap().as_str(), "night");
    assert_eq!(passed(&flow), ["off"]);
}
