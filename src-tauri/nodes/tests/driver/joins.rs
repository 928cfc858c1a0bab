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

/// Edges with an `order` come as it says, those without at 0; where it is the same, plan order decides.
#[test]
fn order_of_edges_decides_before_the_ids_of_their_nodes() {
    let value = |value: &str| json!({ "type": "value", "config": { "value": value } });
    let nodes = json!({
        "a": value("a"), "b": value("b"), "c": value("c"), "d": value("d"), "j": { "type": "join" },
        "l": { "type": "loop", "config": { "kind": "times", "times": 2 } }, "k": { "type": "join", "parent": "l" },
    });
    let edges = json!([
        "a.value -> j.values @2",
        "b.value -> j.values",
        "c.value -> j.values @-1",
        "d.value -> j.values @2",
        "a.value -> k.values @3",
        "l.index -> k.values @2",
        "d.value -> k.values @1",
        "k.list -> l.next",
    ]);
    let stage = Stage::new();
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_eq!(of("j", &events)[0]["outputs"]["list"], json!(["c", "b", "a", "d"]));
    assert_eq!(of("k", &events)[1]["outputs"]["list"], json!(["d", 1, "a"]));
}
