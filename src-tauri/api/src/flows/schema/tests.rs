use super::*;
use plait_nodes::registry;

fn validator() -> jsonschema::Validator {
    jsonschema::validator_for(&flow_schema(&registry())).unwrap()
}

#[test]
fn schema_accepts_every_example() {
    let validator = validator();
    for id in crate::flows::examples::IDS {
        let flow: Value = serde_json::from_str(crate::flows::examples::text(id).unwrap()).unwrap();
        let errors: Vec<_> = validator.iter_errors(&flow).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{id}: {errors:?}");
    }
}

#[test]
fn schema_rejects_an_invalid_config_and_accepts_an_unknown_type() {
    let validator = validator();
    let flow = |node: Value| json!({ "version": 1, "nodes": { "n": node } });
    assert!(!validator.is_valid(&flow(json!({ "type": "chat", "config": { "temperature": "hot" } }))));
    assert!(validator.is_valid(&flow(json!({ "type": "notYetInvented", "config": { "any": true } }))));
    assert!(!validator.is_valid(&flow(json!({ "config": {} }))));
}
