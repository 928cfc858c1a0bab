use super::*;

fn tool(name: &str) -> McpTool {
    McpTool {
        name: name.to_owned(),
        description: "Does something.".to_owned(),
        parameters: json!({ "type": "object" }),
        read_only: false,
        problem: None,
    }
}

#[test]
fn tools_that_an_early_version_accepted_stay_accepted() {
    let now = AcceptedTools::new(&[tool("act"), tool("tools")], true);
    // It stored the tools by name, and nothing else; one may have the name of a field of today.
    let early = json!({ "act": tool("act"), "tools": tool("tools") });
    let early: AcceptedTools = serde_json::from_value(early).unwrap();
    let McpPin { tools, definitions, at, as_first_seen } = early.pin();
    assert_eq!((tools, at, as_first_seen), (2, None, false));
    assert_eq!(definitions, now.pin().definitions);
    assert!(!McpToolChanges::between(&early.tools, &[tool("act"), tool("tools")]).needs_acceptance());

    let stored: AcceptedTools = serde_json::from_value(serde_json::to_value(&now).unwrap()).unwrap();
    assert_eq!(stored.pin(), now.pin());
    assert!(stored.pin().as_first_seen && stored.pin().at.is_some());
}
