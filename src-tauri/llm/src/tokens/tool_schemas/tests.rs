use super::*;
use serde_json::json;

#[test]
fn tool_tokens_include_every_part() {
    let parameters = json!({ "type": "object", "properties": { "expression": { "type": "string" } } });
    let tool = ToolSpec::new("calculator", "Adds numbers.", parameters, "native");
    let one = tool_tokens("gpt-4o", std::slice::from_ref(&tool));
    assert!(one > 15, "{one}");
    assert_eq!(tool_tokens("gpt-4o", &[tool.clone(), tool.clone()]), 2 * one);
    let wordy = ToolSpec { description: "Adds numbers, and then some more numbers.".into(), ..tool };
    assert!(tool_tokens("gpt-4o", &[wordy]) > one);
    assert_eq!(tool_tokens("gpt-4o", &[]), 0);
}
