use serde_json::json;

use super::*;

fn http_tool(method: &str, url: &str) -> ToolSpec {
    let mut tool = ToolSpec::new("post", "", json!({}), HTTP_SOURCE);
    tool.binding = json!({ "method": method, "url": url });
    tool
}

#[test]
fn destination_is_the_request_of_an_http_tool() {
    let shown = |method: &str, url: &str| show_destination(&http_tool(method, url), &json!({}));
    assert_eq!(
        shown("POST", "https://Good.test/a/{{id}}?key=1#x"),
        " It sends `POST https://good.test/a/{{id}}`."
    );
    assert_eq!(shown("DELETE", "http://localhost:80?a=/b"), " It sends `DELETE http://localhost`.");
    // The host is the one that is requested, however it is written.
    assert_eq!(
        shown("GET", r"http://evil.test\@good.test/a"),
        r" It sends `GET http://evil.test\@good.test/a`."
    );
    assert_eq!(shown("GET", "http://good.test@evil.test:81/a"), " It sends `GET http://evil.test:81/a`.");
    let long = shown("GET", &format!("http://a.test/{}end", "`".repeat(1_000)));
    assert!(long.contains("`GET http://a.test/''") && long.ends_with("''end`."), "{long}");
    assert!(long.contains("704 bytes more") && long.len() < 400, "{long}");

    let fetch = ToolSpec::new("fetch_url", "", json!({}), "native");
    let arguments = json!({ "url": "https://a.test/b?secret=1" });
    assert_eq!(show_destination(&fetch, &arguments), " It sends `GET https://a.test/b`.");
    let other = ToolSpec::new("write_file", "", json!({}), "native");
    assert_eq!(show_destination(&other, &json!({ "path": "a" })), "");
}

#[test]
fn destination_is_the_server_of_an_mcp_tool() {
    let mut tool = ToolSpec::new("s_act", "", json!({}), "mcp:files");
    tool.binding = json!({ "tool": "act\n**now**" });
    assert_eq!(
        show_destination(&tool, &json!({})),
        " It is the tool `act **now**` of the MCP server `files`."
    );
}

#[test]
fn long_arguments_show_both_ends_and_the_size_of_the_rest() {
    let call = |text: String| ToolCall {
        id: "1".to_owned(),
        name: "post".to_owned(),
        arguments: json!({ "text": text }),
    };
    let short = show_arguments(&call("é".repeat(3_900)));
    assert!(!short.contains('…') && short.contains(&"é".repeat(3_900)), "{short}");
    let long = show_arguments(&call(format!("BEGIN{}```END", "é".repeat(100_000))));
    assert!(long.contains("BEGIN") && long.contains("END") && long.contains(" … 192 KB more … "), "{long}");
    assert!(long.starts_with("````json\n") && long.ends_with("\n````"), "{long}");
    assert!(long.chars().count() < 4_100, "{}", long.chars().count());
}
