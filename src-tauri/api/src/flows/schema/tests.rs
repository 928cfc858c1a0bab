use super::*;
use plait_engine::nodes::registry;

fn validator() -> jsonschema::Validator {
    jsonschema::validator_for(&flow_schema(&registry())).unwrap()
}

#[test]
fn every_example_follows_the_schema() {
    let validator = validator();
    for id in super::super::examples::IDS {
        let flow: Value = serde_json::from_str(super::super::examples::text(id).unwrap()).unwrap();
        let wrong: Vec<_> = validator.iter_errors(&flow).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{id}: {wrong:?}");
    }
}

#[test]
fn a_wrong_config_does_not_and_an_unknown_type_does() {
    let validator = validator();
    let flow = |node: Value| json!({ "version": 1, "nodes": { "n": node } });
    assert!(!validator.is_valid(&flow(json!({ "type": "chat", "config": { "temperature": "hot" } }))));
    assert!(validator.is_valid(&flow(json!({ "type": "notYetInvented", "config": { "any": true } }))));
    assert!(!validator.is_valid(&flow(json!({ "config": {} }))));
}
