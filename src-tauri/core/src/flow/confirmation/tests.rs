use crate::flow::{self, Flow};

fn marked(more: &str) -> Flow {
    let text = format!(
        r#"{{"version": 1, "nodes": {{
            "a": {{"type": "chat", "unconfirmed": [{{"kind": "neverStarted", "trigger": "Night"}}, {{"kind": "edgeLost", "after": "Create"}}, {{"kind": "standsFor", "name": "tongyi"}}]{more}}},
            "b": {{"type": "text"}}
        }}}}"#
    );
    flow::read(&text).unwrap()
}

fn problems(flow: &Flow) -> Vec<(String, String)> {
    let found = flow.unconfirmed_problems().into_iter();
    found.map(|found| (found.code.to_string(), found.pointer)).collect()
}

#[test]
fn each_difference_is_an_error_at_its_place() {
    // What the node stands for may be on the machine.
    let found = [
        ("import.never_started".to_owned(), "/nodes/a/unconfirmed/0".to_owned()),
        ("import.edge_lost".to_owned(), "/nodes/a/unconfirmed/1".to_owned()),
    ];
    assert_eq!(problems(&marked("")), found);
    assert_eq!(problems(&marked(r#", "disabled": true"#)), []);
}

#[test]
fn differences_survive_saving_until_they_are_confirmed() {
    let mut flow = flow::read(&flow::write(&marked("")).unwrap()).unwrap();
    assert_eq!(problems(&flow).len(), 2);
    flow.confirm_import();
    assert_eq!(problems(&flow), []);
    assert!(!flow::write(&flow).unwrap().contains("unconfirmed"));
}

#[test]
fn inner_flows_are_confirmed_with_theirs() {
    let inner = r#"{"nodes": {"i": {"type": "chat", "unconfirmed": [{"kind": "neverStarted"}]}}}"#;
    let text = format!(
        r#"{{"version": 1, "nodes": {{"s": {{"type": "subflow", "config": {{"flow": {inner}}}}}}}}}"#
    );
    let mut flow = flow::read(&text).unwrap();
    flow.confirm_import();
    assert_eq!(flow.nodes["s"].config["flow"], serde_json::json!({ "nodes": { "i": { "type": "chat" } } }));
}

#[test]
fn model_that_is_not_chosen_is_an_error_until_it_is() {
    let flow = |config: &str| {
        let text = format!(
            r#"{{"version": 1, "nodes": {{"c": {{"type": "contextStart", "config": {config}, "unconfirmed": [{{"kind": "noModel"}}]}}}}}}"#
        );
        flow::read(&text).unwrap()
    };
    let found = [("import.placeholder".to_owned(), "/nodes/c/config/provider".to_owned())];
    assert_eq!(problems(&flow("{}")), found);
    assert_eq!(problems(&flow(r#"{"provider": "openai"}"#)), []);
}
