use super::*;
use serde_json::json;

#[test]
fn editor_output_is_parsed_into_figures() {
    let pan = json!({ "measure": "pan", "nodes": 1000, "bare": { "fps": 60.0 }, "idle": { "fps": 58.5 } });
    let found = read(&pan);
    assert_eq!(found.len(), 2);
    assert_eq!((found[1].group.as_str(), found[1].by.as_str()), ("pan-chromium-1000", "idle"));
    let events = read(&json!({
        "measure": "events", "tab": "timeline", "worstMs": 41.0, "longestTaskMs": 30.5, "over50Ms": 2,
        "emptyPage": { "over50Ms": 1 },
    }));
    let events: Vec<_> =
        events.iter().map(|found| (found.group.as_str(), found.by.as_str(), found.value)).collect();
    assert_eq!(
        events,
        [
            ("events-longest-task", "timeline", 30.5),
            ("events-worst-frame", "timeline", 41.0),
            ("events-slow-frames", "timeline", 2.0),
            ("events-slow-frames-empty-page", "timeline", 1.0),
        ]
    );
    let open = read(&json!({ "measure": "open", "nodes": 5000, "ms": 1900 }));
    assert_eq!((open[0].group.as_str(), open[0].by.as_str()), ("open-chromium", "5000 nodes"));
}
