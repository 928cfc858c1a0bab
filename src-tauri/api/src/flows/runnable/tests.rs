use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use plait_core::flow;

fn chain() -> Flow {
    let edge = json!({ "source": "a", "sourceOutput": "text", "target": "b", "targetInput": "value" });
    let document = json!({ "version": 1, "nodes": {
        "a": { "type": "text", "config": { "template": "x" } },
        "b": { "type": "text", "config": { "template": "{{value}}" } },
    }, "edges": { "e": edge } });
    flow::read(&document.to_string()).unwrap()
}

#[test]
fn plan_belongs_to_what_it_was_planned_with() {
    let (registry, config, none) = (plait_nodes::registry(), ConfigValues::new(), InputOverrides::new());
    let planned = RunnableFlow::plan(&chain(), &registry, &config, None, &none).unwrap();
    assert!(planned.is_of(&config, None, &none));
    let other_config = ConfigValues::from_iter([("max_concurrency".to_owned(), json!(2))]);
    assert!(!planned.is_of(&other_config, None, &none));
    assert!(!planned.is_of(&config, Some(&"a".into()), &none));
    let set = BTreeMap::from([("a".into(), BTreeMap::from([("value".into(), Arc::new(json!(1)))]))]);
    assert!(!planned.is_of(&config, None, &set));
    assert_eq!(planned.into_plan().nodes.len(), 2);
}

#[test]
fn part_of_a_flow_has_its_own_plan() {
    let (registry, installed) = (plait_nodes::registry(), Installed::default());
    let (to, none) = (NodeId::from("a"), InputOverrides::new());
    let planned = RunnableFlow::check(&chain(), None, &registry, &installed, Some(&to), &none).unwrap();
    assert!(planned.is_of(&ConfigValues::new(), Some(&to), &none));
    assert_eq!(planned.into_plan().nodes.len(), 1);
}
