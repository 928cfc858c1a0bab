use serde_json::json;

use super::*;

fn found(text: &str) -> bool {
    let tools = [ToolSpec::new("get_weather", "The weather.", json!({ "type": "object" }), "native")];
    let notice = find_call_in_text(text, &tools, false);
    assert!(notice.iter().all(|notice| {
        notice.code == codes::CHAT_TOOL_CALL_IN_TEXT && notice.message.contains("`get_weather`")
    }));
    notice.is_some()
}

#[test]
fn calls_in_the_formats_of_models_are_recognized() {
    for text in [
        r#"<tool_call>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_call>"#,
        "Let me look.\n<tool_call>\n<function=get_weather>\n<parameter=city>Rome</parameter>\n</function>\n</tool_call>",
        "<tool_call>get_weather\n<arg_key>city</arg_key><arg_value>Rome</arg_value></tool_call>",
        r#"<function=get_weather>{"city": "Rome"}</function>"#,
        r#"[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Rome"}}]"#,
        r#"[TOOL_CALLS]get_weather[ARGS]{"city": "Rome"}"#,
        r#"<|python_tag|>{"name": "get_weather", "parameters": {"city": "Rome"}}"#,
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather",
        r#"<|channel|>commentary to=functions.get_weather <|message|>{"city": "Rome"}"#,
        r#"<function_calls><invoke name="get_weather"></invoke></function_calls>"#,
        r#"{"name": "get_weather", "parameters": {"city": "Rome"}}"#,
        r#"[{"name": "get_weather", "arguments": "{}"}]"#,
        r#"{"tool_calls": [{"type": "function", "function": {"name": "get_weather", "arguments": "{}"}}]}"#,
        "```json\n{\"tool\": \"get_weather\", \"args\": {}}\n```",
        "I need the weather.\nAction: get_weather\nAction Input: {\"city\": \"Rome\"}",
    ] {
        assert!(found(text), "{text}");
    }
}

#[test]
fn texts_that_call_no_offered_tool_are_left_alone() {
    for text in [
        "",
        "It is sunny in Rome.",
        "I used get_weather to find out.",
        r#"{"name": "Rome", "parameters": {"population": 3}}"#,
        r#"{"name": "get_weather", "description": "The weather."}"#,
        r#"<tool_call>{"name": "get_weather_v2", "arguments": {}}</tool_call>"#,
        "Action: get_weather",
    ] {
        assert!(!found(text), "{text}");
    }
}

#[test]
fn json_that_was_asked_for_is_no_call() {
    let tools = [ToolSpec::new("get_weather", "", json!({}), "native")];
    assert!(find_call_in_text(r#"{"name": "get_weather", "input": 1}"#, &tools, true).is_none());
    assert!(find_call_in_text("<tool_call>get_weather</tool_call>", &tools, true).is_some());
}
