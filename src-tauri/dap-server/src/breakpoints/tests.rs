use serde_json::json;

use super::*;

fn line(arguments: serde_json::Value) -> Result<String, String> {
    let asked: SourceBreakpoint = serde_json::from_value(arguments).unwrap();
    at_node(vec!["sub".into()], "chat".into(), &asked).map(|breakpoint| breakpoint.id)
}

fn filter(id: &str, condition: Option<&str>) -> Result<String, String> {
    let options =
        ExceptionFilterOptions { filter_id: id.to_owned(), condition: condition.map(str::to_owned) };
    of_filter(&options).map(|breakpoint| breakpoint.id)
}

#[test]
fn lines_become_breakpoints_of_nodes() {
    assert_eq!(line(json!({ "line": 1, "condition": " " })).unwrap(), "sub/chat:before");
    let after =
        json!({ "line": 1, "mode": "after", "condition": "tokens > 5", "logMessage": "used {tokens}" });
    assert_eq!(line(after).unwrap(), "sub/chat:after:when=tokens > 5:log=used {{tokens}}");
    let template = json!({ "line": 1, "logMessage": "{{#if a}}{{a}}{{/if}}" });
    assert_eq!(line(template).unwrap(), "sub/chat:before:log={{#if a}}{{a}}{{/if}}");
    assert!(line(json!({ "line": 1, "mode": "beside" })).unwrap_err().contains("`beside` is no side"));
}

#[test]
fn filters_become_breakpoints_at_every_node() {
    assert_eq!(filter("failed", None).unwrap(), "*:after:when=error != null");
    let with_condition = "*:after:when=error != null && (error.code == 'a.b')";
    assert_eq!(filter("failed", Some("error.code == 'a.b'")).unwrap(), with_condition);
    assert_eq!(filter("spent", Some("$0.50")).unwrap(), "event:spent=0.5");
    assert_eq!(filter("trimmed", None).unwrap(), "event:trimmed");
    assert!(filter("spent", None).unwrap_err().contains("sum"));
    assert!(filter("spent", Some("a lot")).is_err());
    assert!(filter("caught", None).unwrap_err().contains("no filter"));
}

#[test]
fn count_of_one_breakpoint_does_not_hold_an_equal_one_back() {
    let mut breakpoints = EditorBreakpoints::default();
    let at = |source: &str| Source { path: Some(source.to_owned()), ..Source::default() };
    let set = |number, hits: Option<&str>| {
        let breakpoint = named(Breakpoint { node: Some("a".into()), ..Breakpoint::default() });
        vec![Set { number, breakpoints: vec![breakpoint], hits: hits.map(|text| text.parse().unwrap()) }]
    };
    breakpoints.replace_lines(&at("a"), set(1, Some("3")));
    let id = "a:before";
    let stops = |breakpoints: &mut EditorBreakpoints| {
        breakpoints.count(id);
        breakpoints.stops(id)
    };
    assert_eq!([(); 3].map(|()| stops(&mut breakpoints)), [false, false, true]);
    breakpoints.reached.clear();
    breakpoints.replace(Kind::Function, set(2, None));
    assert!(stops(&mut breakpoints));
    assert_eq!((breakpoints.find(id), breakpoints.wanted().len()), (Some((Kind::Line, vec![1, 2])), 1));
    breakpoints.replace_lines(&at("a"), Vec::new());
    breakpoints.replace(Kind::Function, Vec::new());
    assert!(breakpoints.wanted().is_empty() && breakpoints.find(id).is_none());
    assert!(breakpoints.stops("of another person"));
}
