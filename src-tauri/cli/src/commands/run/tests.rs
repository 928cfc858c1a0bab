use super::*;

#[test]
fn set_option_parses_node_port_and_json() {
    let value = parse_override("my.node.value={\"a\":[1,2]}").unwrap();
    assert_eq!((value.node.as_str(), value.port.as_str()), ("my.node", "value"));
    assert_eq!(value.value, serde_json::json!({"a": [1, 2]}));
    for invalid in ["node.port", "port=1", "node.port=bare text"] {
        assert!(parse_override(invalid).is_err(), "{invalid}");
    }
}
