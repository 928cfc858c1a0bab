use super::*;

#[test]
fn version_0_lists_become_keyed_and_positions_move_to_layout() {
    let old = json!({
        "nodes": [{"id": "a", "type": "text", "position": {"x": 1.0, "y": 2.0}}],
        "edges": [{"id": "e", "source": "a", "sourceOutput": "text", "target": "b", "targetInput": "value"}],
    });
    assert_eq!(
        migrate(old).unwrap(),
        json!({
            "version": 1,
            "nodes": {"a": {"type": "text"}},
            "edges": {"e": {"source": "a", "sourceOutput": "text", "target": "b", "targetInput": "value"}},
            "layout": {"a": {"x": 1.0, "y": 2.0}},
        })
    );
}

#[test]
fn version_0_positions_are_merged_into_existing_layout() {
    let old = json!({
        "nodes": [
            {"id": "a", "type": "text", "position": {"x": 1, "y": 2}},
            {"id": "b", "type": "text", "position": {"x": 3, "y": 4}},
        ],
        "layout": {"b": {"x": 5, "y": 6}, "c": {"x": 7, "y": 8}},
    });
    let layout = json!({"a": {"x": 1, "y": 2}, "b": {"x": 5, "y": 6}, "c": {"x": 7, "y": 8}});
    assert_eq!(migrate(old).unwrap()["layout"], layout);
}

#[test]
fn version_0_edge_key_position_stays_on_edge() {
    let edge = json!({"source": "a", "sourceOutput": "x", "target": "b", "targetInput": "y", "position": 1});
    let mut old = edge.clone();
    old["id"] = json!("e");
    assert_eq!(migrate(json!({ "edges": [old] })).unwrap(), json!({"version": 1, "edges": {"e": edge}}));
}

#[test]
fn version_0_duplicate_ids_are_refused() {
    let old = json!({"nodes": [{"id": "a", "type": "text"}, {"id": "a", "type": "text"}]});
    assert_eq!(migrate(old).unwrap_err().code, "flow.duplicate_id");
}
