//! Several edges into one input.

use serde_json::json;

use super::{Stage, of};

/// Edges of one source are in order of their ids, independent of the order of its outputs. (The ids are given in
/// order.)
#[test]
fn edges_of_one_source_join_in_order_of_their_ids() {
    let nodes = json!({
        "v": { "type": "value", "config": { "value": "a" } },
        "one": { "type": "join" },
        "two": { "type": "join" },
    });
    let (list, first, text) = (json!(["a"]), json!("a"), json!("a"));
    for (outputs, expected) in [
        (["list", "first", "text"], json!([list, first, text])),
        (["text", "list", "first"], json!([text, list, first])),
        (["first", "text", "list"], json!([first, text, list])),
    ] {
        let edges = outputs.map(|output| format!("one.{output} -> two.values"));
        let edges = json!(["v.value -> one.values", edges[0], edges[1], edges[2]]);
        let stage = Stage::new();
        let events = stage.play(&nodes, &edges, &json!({}));
        assert_eq!(of("two", &events)[0]["outputs"]["list"], expected);
    }
}
