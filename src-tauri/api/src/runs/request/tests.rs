use plait_core::config::ConfigValues;
use plait_core::flow;
use serde_json::json;

use super::*;

/// A request of a flow with this text in it, with its plan.
fn request(text: &str) -> NewRun {
    let nodes = json!({ "a": { "type": "text", "config": { "template": text } } });
    let flow = flow::read(&json!({ "version": 1, "nodes": nodes }).to_string()).unwrap();
    let (registry, none) = (plait_nodes::registry(), InputOverrides::new());
    let runnable = RunnableFlow::plan(&flow, &registry, &ConfigValues::new(), None, &none).unwrap();
    let request = RunRequest { flow, runnable: Some(Box::new(runnable)), ..RunRequest::default() };
    NewRun::Of {
        request: Box::new(request),
        user: UserName::default(),
        origins: Origins::NONE,
        inherited: None,
    }
}

fn has_plan(new: &NewRun) -> bool {
    matches!(new, NewRun::Of { request, .. } if request.runnable.is_some())
}

#[test]
fn plan_of_a_flow_with_a_secret_is_dropped() {
    let mut kept = request("no secret");
    kept.redact(&Redaction::default()).unwrap();
    assert!(has_plan(&kept));
    let mut changed = request("The key is sk-ant-api03-a1B2c3D4e5F6g7H8j9K0-a1B2c3D4e5F6g7H8j9K0.");
    changed.redact(&Redaction::default()).unwrap();
    assert!(!has_plan(&changed), "the flow without its secret is another one");
}
