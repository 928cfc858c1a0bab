use super::*;
use crate::codes;
use plait_core::flow;

#[test]
fn names_of_tools_that_do_not_exist_are_problems() {
    let document = serde_json::json!({
        "formatVersion": 1,
        "id": "0190b1a0-0000-7000-8000-000000000001",
        "name": "x",
        "nodes": {
            "auto": {"type": "tools"},
            "some": {"type": "tools", "config": {"tools": ["calculator", "calulator"]}},
            "empty": {"type": "callTool"},
            "wrong": {"type": "callTool", "config": {"tool": "gone"}},
            "right": {"type": "callTool", "config": {"tool": "calculator"}},
            "fed": {"type": "callTool", "config": {"tool": "of_a_server"}},
        },
        "edges": {
            "e": {"source": "some", "sourceOutput": "tools", "target": "fed", "targetInput": "tools"},
        },
    });
    let flow = flow::read(&document.to_string()).unwrap();
    let found = unknown_tools(&flow, &BTreeSet::from(["calculator".to_owned()]));
    let places: Vec<_> = found.iter().map(|one| (one.pointer.as_str(), one.message.as_str())).collect();
    assert_eq!(
        places,
        [
            ("/nodes/empty/config/tool", "This node names no tool."),
            ("/nodes/some/config/tools/1", "There is no tool `calulator`."),
            ("/nodes/wrong/config/tool", "There is no tool `gone`."),
        ]
    );
    assert!(found.iter().all(|one| one.code == codes::TOOLS_UNKNOWN && one.node.is_some()), "{found:?}");
}

/// The body of a disabled loop does not run, so it keeps no run from starting.
#[test]
fn nodes_that_do_not_run_are_not_tested() {
    let document = serde_json::json!({
        "formatVersion": 1,
        "name": "x",
        "nodes": {
            "off": {"type": "loop", "disabled": true},
            "inner": {"type": "loop", "parent": "off"},
            "body": {"type": "callTool", "parent": "inner", "config": {"tool": "gone"}},
            "own": {"type": "callTool", "disabled": true, "config": {"tool": "gone"}},
        },
        "edges": {},
    });
    let flow = flow::read(&document.to_string()).unwrap();
    assert!(unknown_tools(&flow, &BTreeSet::new()).is_empty());
    assert_eq!(crate::attachments::takers(&flow).len(), 0);
}
