use super::*;

#[test]
fn placeholders_are_names_between_double_braces_and_nothing_else() {
    use Part::{Placeholder, Text};
    for (text, parts) in [
        ("a{{b}}c", vec![Text("a"), Placeholder("b"), Text("c")]),
        ("{{ user.id }}{{x-y_2}}", vec![Placeholder("user.id"), Placeholder("x-y_2")]),
        ("{\"a\": {\"b\": 1}}", vec![Text("{\"a\": {\"b\": 1}}")]),
        ("{{}}{{a b}}{{#if}}", vec![Text("{{}}{{a b}}{{#if}}")]),
        ("{{{a}}}", vec![Text("{"), Placeholder("a"), Text("}")]),
        ("{{a", vec![Text("{{a")]),
        ("{{größe}}", vec![Text("{{größe}}")]),
        ("{{a..b}}", vec![Text("{{a..b}}")]),
    ] {
        assert_eq!(parse(text), parts, "{text}");
    }
    // Would take hours if each brace looked at the rest of the text.
    assert_eq!(parse(&"{{ö".repeat(400_000)).len(), 1);
}

#[test]
fn urls_need_a_constant_host() {
    for url in ["https://a.test", "http://a.test:80/{{x}}", "https://[::1]/", "https://a.test?q={{q}}"] {
        assert_eq!(url_problem(url), None, "{url}");
    }
    for url in [
        "",
        "a.test",
        "file:///etc/passwd",
        "https://",
        "https:///path",
        "https://{{h}}",
        "https://a{{h}}/",
        "https://a.test:{{port}}/",
        "https://u@a.test/",
        "https://a.test{{x}}@b.test/",
        "javascript:1",
    ] {
        assert!(url_problem(url).is_some(), "{url}");
    }
}

#[test]
fn declared_schema_must_have_every_placeholder() {
    let tool = HttpTool {
        name: "t".to_owned(),
        url: "https://a.test/{{user.id}}".to_owned(),
        parameters: json!({ "type": "object", "properties": { "user": { "type": "object" } } }),
        ..HttpTool::default()
    };
    assert_eq!(tool.problems(), []);
    let other = HttpTool { url: "https://a.test/{{id}}".to_owned(), ..tool };
    assert_eq!(other.problems()[0].0, "/parameters");
}
