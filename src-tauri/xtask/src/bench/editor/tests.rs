use super::*;
use serde_json::json;

#[test]
fn editor_output_is_parsed_into_figures() {
    let pan = json!({ "measure": "pan", "nodes": 1000, "bare": { "fps": 60.0 }, "idle": { "fps": 58.5 } });
    let found = read(&pan);
    assert_eq!(found.len(), 2);
    assert_eq!((found[1].group.as_str(), found[1].by.as_str()), ("pan-chromium-1000", "idle"));
    let events = read(&json!({ "measure": "events", "tab": "events", "worstMs": 41.0 }));
    assert_eq!(events[0].unit, "ms");
}
