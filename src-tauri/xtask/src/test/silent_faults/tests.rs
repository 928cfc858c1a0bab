use super::*;

/// The ways in which a function of the crate that executes nodes loses an error.
fn ways(body: &str) -> Vec<String> {
    let text = format!(
        "fn summarize() -> Result<String, Fault> {{ Ok(String::new()) }}\nfn name() -> Option<String> {{ None }}\nasync fn ask() {{ {body} }}"
    );
    let places = find(&[("src-tauri/nodes/src/ask.rs".to_owned(), text)]).expect("parsed");
    places.into_keys().filter(|(_, function, _)| function == "ask").map(|(.., way)| way).collect()
}

#[test]
fn each_way_to_lose_an_error_is_found() {
    for (body, way) in [
        ("let text = summarize().ok();", "ok"),
        ("if provider.call(request).await.is_err() { return; }", "is_err"),
        ("let text = summarize().await.unwrap_or_default();", "unwrap_or_default"),
        ("let text = summarize().map(trim).unwrap_or_else(|_| before);", "unwrap_or_else"),
        ("let text = summarize().map_or(before, trim);", "map_or"),
        ("let value: Value = serde_json::from_str(text).unwrap_or_default();", "unwrap_or_default"),
        ("let texts = all.into_iter().filter_map(Result::ok);", "Result::ok"),
        ("let _ = memory.put(turn).await;", "let_"),
        ("let text = match summarize() { Ok(text) => text, Err(_) => before };", "Err(_)"),
        ("if let Ok(text) = summarize() { say(text); }", "let-Ok"),
        ("let Ok(text) = summarize() else { return };", "let-Ok"),
    ] {
        assert_eq!(ways(body), [way], "{body}");
    }
}

#[test]
fn what_loses_no_error_is_not_found() {
    for body in [
        "let text = summarize()?;",
        "let text = name().unwrap_or_default();",
        "let text = match summarize() { Ok(text) => text, Err(fault) => { node_context.notice(fault); before } };",
        "let Some(text) = name() else { return };",
        "let _ = write!(text, \"{name}\");",
    ] {
        assert!(ways(body).is_empty(), "{body}: {:?}", ways(body));
    }
}

#[test]
fn places_and_entries_that_are_not_each_others_are_named() {
    let reviewed = parse("# A comment.\na.rs f ok ×2 = A reason.\nb.rs g let_ = Another.\n").expect("parsed");
    assert!(compare(&reviewed, &reviewed).is_empty());
    let place =
        |file: &str, function: &str, way: &str| (file.to_owned(), function.to_owned(), way.to_owned());
    let places = BTreeMap::from([(place("a.rs", "f", "ok"), 3), (place("c.rs", "h", "ok"), 1)]);
    assert_eq!(
        compare(&places, &reviewed),
        ["a.rs f ok ×3 = (2 reviewed)", "b.rs g let_ = (1 reviewed)", "c.rs h ok = (0 reviewed)"]
    );
    parse("a.rs f ok").expect_err("no reason");
}
