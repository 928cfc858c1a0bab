use super::*;
use crate::codes;
use plait_core::flow;

#[test]
fn providers_that_are_not_there_are_named_with_their_place() {
    let document = serde_json::json!({
        "formatVersion": 1,
        "id": "0190b1a0-0000-7000-8000-000000000001",
        "name": "x",
        "nodes": {
            "provider": {"type": "contextStart", "config": {"provider": "gone", "model": "m"}},
            "there": {"type": "contextStart", "config": {"provider": "mine", "memory": {"summarizer": {"provider": "away"}}}},
            "data": {"type": "constant", "config": {"value": {"provider": "no provider"}}},
        },
        "edges": {},
    });
    let flow = flow::read(&document.to_string()).unwrap();
    let known = BTreeSet::from(["mine".to_owned(), "offline".to_owned()]);
    let found = missing_providers(&flow, &known);
    let places: Vec<_> =
        found.iter().map(|one| (one.pointer.as_str(), one.node.as_ref().unwrap().as_str())).collect();
    assert_eq!(
        places,
        [
            ("/nodes/provider/config/provider", "provider"),
            ("/nodes/there/config/memory/summarizer/provider", "there")
        ]
    );
    assert!(found.iter().all(|one| one.code == codes::PROVIDER_UNKNOWN), "{found:?}");
    assert!(found[0].hint.as_ref().unwrap().contains("plait providers add gone"), "{found:?}");
}
