use serde_json::json;

use super::*;

fn flow(document: serde_json::Value) -> Flow {
    serde_json::from_value(document).unwrap()
}

fn places<const N: usize>(flow: &Flow, ids: [&str; N]) -> [(f64, f64); N] {
    ids.map(|id| (flow.layout[id].x, flow.layout[id].y))
}

#[test]
fn large_notes_stay_behind_the_cards_that_they_are_about() {
    let mut flow = flow(json!({
        "version": 1,
        "name": "Sticky notes",
        "nodes": {
            "area": { "type": "note", "config": { "text": "Drafts the answer" } },
            "answer": { "type": "text" },
            "remark": { "type": "note", "config": { "text": "Look at this" } },
        },
        "edges": {},
        "layout": {
            "area": { "x": 0, "y": 0, "width": 300, "height": 400 },
            "answer": { "x": 110, "y": 150 },
            "remark": { "x": 120, "y": 160, "width": 200, "height": 80 },
        },
    }));
    arrange(&mut flow);
    let card = CardHeights::of(&flow).height(&"answer".into());
    assert_eq!(
        places(&flow, ["area", "answer", "remark"]),
        [(0.0, 0.0), (110.0, 150.0), (120.0, 150.0 + card + GAP)]
    );
    // The note reaches around the card, which is wider than in the tool that it is from.
    assert!(flow.layout["area"].width.unwrap() > 110.0 + CARD_WIDTH);
}

#[test]
fn rows_and_columns_of_narrow_nodes_are_drawn_apart() {
    let node = json!({ "type": "text" });
    let mut flow = flow(json!({
        "version": 1, "name": "n8n", "edges": {},
        "nodes": { "a": node, "b": node, "c": node, "d": node },
        "layout": { "a": { "x": 0, "y": 0 }, "b": { "x": 200, "y": 0 }, "c": { "x": 400, "y": 10 }, "d": { "x": 200, "y": 200 } },
    }));
    arrange(&mut flow);
    let [a, b, c, d] = places(&flow, ["a", "b", "c", "d"]);
    assert_eq!((a.1, b.1), (0.0, 0.0), "a row stays a row");
    assert_eq!((b.0, c.0, d.0), (248.0, 496.0, 248.0), "a column stays a column");
    assert!(c.1 < 10.0 && d.1 < 200.0, "rows are drawn together as far as cards allow");
}

#[test]
fn edge_leads_to_the_right_if_it_does_in_the_file() {
    let node = json!({ "type": "text" });
    let edge = |source: &str, target: &str| json!({ "source": source, "sourceOutput": "text", "target": target, "targetInput": "after" });
    let mut flow = flow(json!({
        "version": 1, "name": "n8n",
        "nodes": { "a": node, "b": node, "c": node, "d": node },
        "edges": { "1": edge("a", "b"), "2": edge("b", "c"), "3": edge("c", "d") },
        "layout": { "a": { "x": 0, "y": 0 }, "b": { "x": 160, "y": 300 }, "c": { "x": 400, "y": 600 }, "d": { "x": 0, "y": 600 } },
    }));
    arrange(&mut flow);
    let [a, b, c, d] = places(&flow, ["a", "b", "c", "d"]);
    assert!(b.0 >= a.0 + CARD_WIDTH && c.0 >= b.0 + CARD_WIDTH, "{a:?} {b:?} {c:?}");
    assert!((d.0 - a.0).abs() < 1.0, "an edge that leads back stays as it is");
}

#[test]
fn near_neighbors_do_not_draw_the_others_apart() {
    let node = json!({ "type": "text" });
    let mut flow = flow(json!({
        "version": 1, "name": "n8n", "edges": {},
        "nodes": { "a": node, "b": node, "c": node, "d": node, "remark": { "type": "note", "config": { "text": "Both" } } },
        "layout": {
            "a": { "x": 0, "y": 0 }, "b": { "x": 200, "y": 0 }, "c": { "x": 450, "y": 0 }, "d": { "x": 900, "y": 0 },
            "remark": { "x": 180, "y": -60, "width": 500, "height": 300 },
        },
    }));
    arrange(&mut flow);
    let [a, b, c, d] = places(&flow, ["a", "b", "c", "d"]).map(|(x, _)| x);
    assert_eq!((b - a, c - b, d - c), (248.0, 250.0, 450.0));
    let remark = &flow.layout["remark"];
    assert!(remark.x < b && remark.x + remark.width.unwrap() >= c + CARD_WIDTH, "it stays behind both");
}

#[test]
fn nodes_of_a_frame_follow_their_edges_inside_of_it() {
    let mut flow = flow(json!({
        "version": 1, "name": "Frame",
        "nodes": { "read": { "type": "text" }, "parse": { "type": "json" }, "check": { "type": "json" }, "next": { "type": "text" } },
        "edges": {
            "1": { "source": "read", "sourceOutput": "text", "target": "parse", "targetInput": "value" },
            "2": { "source": "parse", "sourceOutput": "result", "target": "check", "targetInput": "value" },
            "3": { "source": "check", "sourceOutput": "result", "target": "parse", "targetInput": "value" },
        },
        "layout": { "read": { "x": 0, "y": 0 }, "parse": { "x": 0, "y": 10 }, "check": { "x": 0, "y": 20 }, "next": { "x": 400, "y": 0 } },
        "frames": { "f": { "title": "Read", "nodes": ["read", "parse", "check"], "x": 100, "y": 0, "width": 0, "height": 0, "folded": true } },
    }));
    arrange(&mut flow);
    let frame = &flow.frames["f"];
    let [read, parse, check, next] = places(&flow, ["read", "parse", "check", "next"]);
    assert_eq!((read.0, parse.0), (frame.x + 16.0, check.0), "a cycle has one column");
    assert!(parse.0 >= read.0 + CARD_WIDTH && parse.1 < check.1);
    // Its neighbor keeps its distance to the folded card, not to the open frame.
    assert!(next.0 < frame.x + frame.width && next.0 >= frame.x + CARD_WIDTH + GAP);
    assert_eq!((frame.x + frame.width, frame.y), (check.0 + CARD_WIDTH + 16.0, next.1));
}
