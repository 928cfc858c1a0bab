//! What several nodes of a flow were made for is one folded card, at the place that it has in the file.

use std::collections::BTreeMap;

use plait_core::flow::{Flow, Frame};
use plait_core::id::NodeId;
use serde_json::{Value, json};

use super::{fixtures, import};
use crate::Importers;
use crate::arrange::{CARD_HEIGHT, CARD_WIDTH};
use plait_formats::foreign::Importer as _;
use plait_formats::foreign::{ForeignFile, Format, ImportReport, Imported, name_of_file};

/// The flows of all fixtures with their names.
fn imported_fixtures() -> Vec<(String, Imported)> {
    let all = Format::ALL.into_iter().flat_map(|format| {
        fixtures(format).into_iter().map(move |file| {
            let text = std::fs::read_to_string(&file).unwrap();
            let name = format!("{} {}", format.name(), name_of_file(&file).unwrap());
            let files = super::beside(&file, &text);
            let foreign = ForeignFile { text: &text, files: &files, format: None, name: &name, graph: None };
            (name.clone(), Importers.import(&foreign).unwrap())
        })
    });
    all.collect()
}

fn frames_with(flow: &Flow, id: &NodeId) -> usize {
    flow.frames.values().filter(|frame| frame.nodes.contains(id)).count()
}

/// Whether a node is hidden in a loop that is folded, or that is in a frame.
fn is_in_closed_loop(flow: &Flow, id: &NodeId) -> bool {
    let mut around = std::iter::successors(flow.nodes[id].parent.clone(), |id| flow.nodes[id].parent.clone());
    around.any(|id| flow.layout[&id].folded)
}

/// What was made for one node of the file alone, in each body: neither notes nor loops, which are cards of their own.
fn parts_of_nodes<'f>(
    flow: &'f Flow,
    report: &ImportReport,
) -> BTreeMap<(usize, Option<&'f NodeId>), Vec<&'f NodeId>> {
    let mut parts: BTreeMap<_, Vec<&NodeId>> = BTreeMap::new();
    for (id, node) in &flow.nodes {
        let made_for = report.nodes.iter().enumerate().filter(|(_, source)| source.nodes.contains(id));
        let made_for: Vec<usize> = made_for.map(|(at, _)| at).collect();
        let is_body = flow.nodes.values().any(|other| other.parent.as_ref() == Some(id));
        if let [source] = made_for[..]
            && node.node_type != "note"
            && !is_body
            && !is_in_closed_loop(flow, id)
        {
            parts.entry((source, node.parent.as_ref())).or_default().push(id);
        }
    }
    parts
}

/// Whether a flow is one node of its file: a card of all would hide it.
fn is_all_of_one_node(flow: &Flow, report: &ImportReport) -> bool {
    let is_outside = |id: &&NodeId| flow.nodes[*id].parent.is_none() && flow.nodes[*id].node_type != "note";
    report.nodes.iter().any(|node| flow.nodes.keys().filter(is_outside).all(|id| node.nodes.contains(id)))
}

#[test]
fn nodes_made_for_one_node_are_in_one_frame() {
    let mut framed = 0;
    for (name, Imported { flow, report }) in imported_fixtures() {
        for (id, frame) in &flow.frames {
            assert!(frame.folded && frame.nodes.len() > 1, "{name}: {id}");
            assert!(frame.main.as_ref().is_some_and(|main| frame.nodes.contains(main)), "{name}: {id}");
            let mut bodies: Vec<_> = frame.nodes.iter().map(|node| &flow.nodes[node].parent).collect();
            bodies.dedup();
            assert_eq!(bodies.len(), 1, "{name}: {id} is in several bodies");
            let mut with_title = report.nodes.iter().filter(|node| node.title() == frame.title);
            let is_of_one = with_title.any(|node| frame.nodes.iter().all(|id| node.nodes.contains(id)));
            assert!(is_of_one, "{name}: {id} has parts of several nodes");
            framed += frame.nodes.len();
        }
        for parts in parts_of_nodes(&flow, &report).into_values().filter(|parts| parts.len() > 1) {
            let around: Vec<_> =
                flow.frames.values().filter(|frame| frame.nodes.contains(parts[0])).collect();
            let is_framed = around.len() == 1 && parts.iter().all(|id| around[0].nodes.contains(*id));
            assert!(is_framed || is_all_of_one_node(&flow, &report), "{name}: {parts:?} are in no frame");
        }
        for id in flow.nodes.keys() {
            let around = frames_with(&flow, id);
            assert!(around <= 1, "{name}: {id} is in {around} frames");
            assert!(around == 0 || !is_in_closed_loop(&flow, id), "{name}: {id} is hidden twice");
        }
    }
    assert!(framed > 200, "{framed}");
}

type Area = (String, f64, f64, f64, f64);

/// The cards of each body: nodes in no frame, but for notes, and folded frames.
fn cards(flow: &Flow) -> BTreeMap<Option<NodeId>, Vec<Area>> {
    let mut cards: BTreeMap<Option<NodeId>, Vec<Area>> = BTreeMap::new();
    for (id, node) in
        flow.nodes.iter().filter(|(id, node)| frames_with(flow, id) == 0 && node.node_type != "note")
    {
        let at = &flow.layout[id];
        let size = at.width.zip(at.height).filter(|_| !at.folded);
        let (width, height) = size.unwrap_or((CARD_WIDTH, 75.0));
        cards.entry(node.parent.clone()).or_default().push((id.to_string(), at.x, at.y, width, height));
    }
    for (id, frame) in &flow.frames {
        let parent = flow.nodes[frame.nodes.first().unwrap()].parent.clone();
        cards.entry(parent).or_default().push((id.to_string(), frame.x, frame.y, CARD_WIDTH, CARD_HEIGHT));
    }
    cards
}

fn overlap((_, x, y, width, height): &Area, (_, left, top, across, down): &Area) -> bool {
    x < &(left + across) && left < &(x + width) && y < &(top + down) && top < &(y + height)
}

#[test]
fn no_two_cards_of_a_body_overlap() {
    for (name, Imported { flow, .. }) in imported_fixtures() {
        for cards in cards(&flow).values() {
            for (at, one) in cards.iter().enumerate() {
                for other in &cards[at + 1..] {
                    assert!(!overlap(one, other), "{name}: {one:?} lies on {other:?}");
                }
            }
        }
    }
}

#[test]
fn nodes_of_a_frame_are_inside_of_its_box_and_apart() {
    for (name, Imported { flow, .. }) in imported_fixtures() {
        for Frame { title, nodes, x, y, width, height, .. } in flow.frames.values() {
            let mut areas: Vec<Area> = Vec::new();
            for id in nodes {
                let at = &flow.layout[id];
                let size = at.width.zip(at.height).filter(|_| !at.folded);
                let (across, down) = size.unwrap_or((CARD_WIDTH, 75.0));
                let is_inside =
                    at.x > *x && at.y > *y && at.x + across < x + width && at.y + down < y + height;
                assert!(is_inside, "{name}: {id} is not in the frame “{title}”");
                let area = (id.to_string(), at.x, at.y, across, down);
                assert!(!areas.iter().any(|other| overlap(&area, other)), "{name}: {id} in “{title}”");
                areas.push(area);
            }
        }
    }
}

/// A workflow of n8n as people draw it: a trigger, and rows of a request and a program that reads its reply.
fn rows(count: usize) -> Value {
    let node = |name: &str, kind: &str, at: [f64; 2], parameters: Value| {
        json!({ "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": 2, "position": at,
            "parameters": parameters, "continueOnFail": kind == "httpRequest" })
    };
    let to = |name: &str| json!({ "main": [[{ "node": name, "type": "main", "index": 0 }]] });
    let mut nodes = vec![node("Start", "manualTrigger", [0.0, 100.0], json!({}))];
    let mut connections = serde_json::Map::new();
    let mut targets = Vec::new();
    for row in 0..count {
        let (fetch, parse) = (format!("Fetch {row}"), format!("Parse {row}"));
        let y = 200.0 * f64::from(u32::try_from(row).unwrap());
        nodes.push(node(&fetch, "httpRequest", [250.0, y], json!({ "url": "http://127.0.0.1:9/" })));
        let code = json!({ "jsCode": "return items.map((item) => ({ json: { found: item.json } }));" });
        nodes.push(node(&parse, "code", [450.0, y], code));
        connections.insert(fetch.clone(), to(&parse));
        targets.push(json!({ "node": fetch, "type": "main", "index": 0 }));
    }
    connections.insert("Start".to_owned(), json!({ "main": [targets] }));
    json!({ "name": "Rows", "nodes": nodes, "connections": connections })
}

#[test]
fn rows_of_n8n_are_rows_of_cards_with_its_names() {
    let flow = import(&rows(3).to_string(), None, "x").unwrap().flow;
    let titles: Vec<&str> = flow.frames.values().map(|frame| frame.title.as_str()).collect();
    assert_eq!(titles, ["Fetch 0", "Fetch 1", "Fetch 2"]);
    let main = |id: &str| flow.nodes[flow.frames[id].main.as_ref().unwrap()].node_type.clone();
    assert_eq!(main("fetch-0"), "httpRequest");
    let all = cards(&flow).remove(&None).unwrap();
    assert_eq!(all.len(), 7, "{all:?}");
    let at = |id: &str| all.iter().find(|(card, ..)| card == id).map(|(_, x, y, ..)| (*x, *y)).unwrap();
    for row in ["0", "1", "2"] {
        let (fetch, parse) = (at(&format!("fetch-{row}")), at(&format!("parse-{row}")));
        assert_eq!((fetch.0, fetch.1), (at("fetch-0").0, parse.1), "row {row}, column of requests");
    }
    assert!(at("fetch-0").1 < at("fetch-1").1 && at("fetch-1").1 < at("fetch-2").1);
}

#[test]
fn branches_of_a_trigger_take_turns_without_a_node_for_it() {
    let flow = import(&rows(3).to_string(), None, "x").unwrap().flow;
    assert!(!flow.nodes.keys().any(|id| id.as_str().starts_with("in-its-turn")));
    let into: Vec<String> = flow
        .edges
        .values()
        .filter(|edge| edge.target.as_str() == "fetch-1" && edge.target_input.as_str() == "after")
        .map(|edge| format!("{}.{}", edge.source, edge.source_output))
        .collect();
    assert_eq!(into, ["fetch-0.body", "start.value"]);
}

#[test]
fn app_that_is_a_single_form_is_no_card() {
    let app = include_str!("../../../../tests/fixtures/import/dify/simple-completion.yml");
    assert!(import(app, None, "x").unwrap().flow.frames.is_empty());
}
