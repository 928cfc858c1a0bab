use proptest::prelude::*;

use super::*;
use crate::flow::{random_documents, read, write};

/// Asserts that each node, and the whole, is as in the flow that the text is.
fn assert_same(text: &str, flow: &Flow) -> LazyFlow {
    let lazy = LazyFlow::read_written(text.to_owned()).unwrap();
    for (id, node) in &flow.nodes {
        assert_eq!(lazy.node(id.as_str()), Some(node), "{id} in {text}");
        let unknown = format!("{id}\u{1}");
        assert_eq!(lazy.node(&unknown), None, "{text}");
    }
    assert_eq!(lazy.settings(), &flow.settings, "{text}");
    assert_eq!(lazy.whole(), Some(flow), "{text}");
    for (id, node) in &flow.nodes {
        assert_eq!(lazy.node(id.as_str()), Some(node), "{id} in {text}, which was read as a whole");
    }
    lazy
}

proptest! {
    #[test]
    fn nodes_are_those_of_the_whole_flow(text in random_documents::document()) {
        if let Ok(flow) = read(&text) {
            assert_same(&text, &flow);
            // Whole numbers of positions are written without a fraction, and read back as such.
            let written = write(&flow).unwrap();
            assert_same(&written, &read(&written).unwrap());
        }
    }
}

#[test]
fn nodes_are_found_without_reading_the_flow() {
    let text = r#"{"version": 1, "nodes": {"a": {"type": "text"}, "b": {"type": "chat"}}}"#;
    let lazy = LazyFlow::read_written(text.to_owned()).unwrap();
    assert_eq!(lazy.node("b").map(|node| node.node_type.as_str()), Some("chat"));
    assert!(lazy.whole.get().is_none());
}

#[test]
fn flow_whose_nodes_cannot_be_searched_is_read_at_once() {
    for text in [
        r#"{"version": 1, "nodes": {"b": {"type": "text"}, "a": {"type": "chat"}}}"#,
        r#"{"version": 1, "nodes": {"a \"b\"": {"type": "text"}, "é": {"type": "chat"}}}"#,
        r#"{"version": 0, "nodes": [{"id": "a", "type": "text"}]}"#,
    ] {
        let lazy = assert_same(text, &read(text).unwrap());
        assert!(lazy.nodes.is_empty(), "{text}");
    }
}

#[test]
fn damaged_text_is_no_flow() {
    for text in ["", "{", r#"{"version": 1, "nodes": {"a": {"type": "text"}}"#, r#"{"version": 1}"#] {
        assert!(LazyFlow::read_written(text.to_owned()).is_err(), "{text}");
    }
}

#[test]
fn damaged_node_is_none() {
    let text = r#"{"version": 1, "nodes": {"a": {"type": "text"}, "b": {"type": 7}}}"#;
    let lazy = LazyFlow::read_written(text.to_owned()).unwrap();
    assert!(lazy.node("a").is_some());
    assert_eq!(lazy.node("b"), None);
    assert_eq!(lazy.whole(), None);
}
