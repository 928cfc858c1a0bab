use serde_json::json;

use super::*;

#[test]
fn names_are_found_by_the_format_of_their_settings_at_any_depth() {
    let provider = json!({ "type": ["string", "null"], "format": "provider" });
    let schema = json!({ "properties": {
        "provider": provider,
        "title": { "type": "string" },
        "second": provider,
        "fallback": { "anyOf": [{ "properties": { "provider": provider } }, { "type": "null" }] },
        "tools": { "anyOf": [{ "const": "auto" }, { "items": { "type": "string", "format": "tool" } }] },
        "table": { "additionalProperties": { "properties": { "bases": { "items": { "format": "knowledgeBase" } } } } },
    } });
    let value = json!({
        "provider": " a ",
        "title": "b",
        "second": "",
        "fallback": { "provider": "c" },
        "tools": ["d", "", "e"],
        "table": { "x/y": { "bases": ["f"] } },
        "other": { "provider": "g" },
    });
    let found: Vec<_> = names_in(&schema, &value, "/config")
        .into_iter()
        .map(|one| (one.pointer, one.kind, one.name))
        .collect();
    let expected = [
        ("/config/fallback/provider", NameKind::Provider, "c"),
        ("/config/provider", NameKind::Provider, "a"),
        ("/config/table/x~1y/bases/0", NameKind::KnowledgeBase, "f"),
        ("/config/tools/0", NameKind::Tool, "d"),
        ("/config/tools/1", NameKind::Tool, ""),
        ("/config/tools/2", NameKind::Tool, "e"),
    ];
    assert_eq!(found, expected.map(|(place, kind, name)| (place.to_owned(), kind, name)));
}
