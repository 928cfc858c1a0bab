use super::*;
use clap::CommandFactory as _;

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn a_set_names_node_port_and_json() {
    let set = parse_set("my.node.value={\"a\":[1,2]}").unwrap();
    assert_eq!((set.node.as_str(), set.port.as_str()), ("my.node", "value"));
    assert_eq!(set.value, serde_json::json!({"a": [1, 2]}));
    for wrong in ["node.port", "port=1", "node.port=bare text"] {
        assert!(parse_set(wrong).is_err(), "{wrong}");
    }
}
