use super::{
    Part, Reference, from_ai, is_closed, node_names, parse, reference, unreachable, uses_extensions,
};

fn path_of(source: &str) -> Option<(Option<String>, String)> {
    let Reference { node, path } = reference(source)?;
    Some((node, path.join("/")))
}

#[test]
fn references_are_read_in_all_their_spellings() {
    let own = |path: &str| Some((None, path.to_owned()));
    let other = |path: &str| Some((Some("Get user".to_owned()), path.to_owned()));
    assert_eq!(path_of("$json.a.b"), own("a/b"));
    assert_eq!(path_of(" $json['first name'][0].x "), own("first name/0/x"));
    assert_eq!(path_of("$json?.a?.b"), own("a/b"));
    assert_eq!(path_of("$input.first().json.a"), own("a"));
    assert_eq!(path_of("$input.all()[0].json.a"), own("a"));
    assert_eq!(path_of("$('Get user').item.json.a"), other("a"));
    assert_eq!(path_of("$(\"Get user\").first().json['a']"), other("a"));
    assert_eq!(path_of("$('Get user').all()[0].json.a"), other("a"));
    assert_eq!(path_of("$node[\"Get user\"].json[\"a\"]"), other("a"));
    assert_eq!(path_of("$items(\"Get user\")[0].json.a"), other("a"));
}

#[test]
fn more_than_a_field_is_no_reference() {
    for source in
        ["$json.a.slice(0, 5)", "$json.a + 1", "JSON.stringify($json.a)", "$json.a.length", "$json.a || 'b'"]
    {
        assert_eq!(reference(source), None, "{source}");
    }
}

#[test]
fn names_beyond_the_sandbox_are_found() {
    let in_expression = |source: &str| unreachable(source, true);
    for source in [
        "$json.a.split(',').map((part) => part.trim()).filter(Boolean)",
        "`${$json.a} costs $5`",
        "$json.text.replace(/\\$total/, '$env')",
        "$('Get user').first().json.a ?? $ifEmpty($json.b, 1)",
        "$json.list.pluck('a').sum().round(2)",
        "(() => { const $own = 1; return $own; })()",
        "/* $env */ $json.a",
        "$now.minus({ days: 1 }).toFormat('yyyy-MM-dd')",
    ] {
        assert_eq!(in_expression(source), None, "{source}");
    }
    assert_eq!(in_expression("$now.setZone('UTC')").as_deref(), Some("setZone"));
    assert_eq!(in_expression("`${$execution.id}`").as_deref(), Some("$execution"));
    assert_eq!(in_expression("$json.date.toDateTime()").as_deref(), Some("toDateTime"));
    assert_eq!(in_expression("Interval.after($json.a, 1)").as_deref(), Some("Interval"));
    for (source, read) in [
        ("$node[\"Loop\"].context[\"noItemsLeft\"]", ".context"),
        ("$('Get').params.x", ".params"),
        ("$input['context'].done", ".context"),
        ("$('If').all(1)", ".all(1)"),
        ("$items(\"If\", 1)[0].json.a", "$items(…, 1)"),
        ("$now.zoneName", ".zoneName"),
        ("$workflow.id", "$workflow.id"),
    ] {
        assert_eq!(in_expression(source).as_deref(), Some(read), "{source}");
    }
    for source in [
        "$('A').first().json.context",
        "$items('A', 0)",
        "$input.all().length",
        "$workflow.name",
        "$json.params",
    ] {
        assert_eq!(in_expression(source), None, "{source}");
    }
    // A program fails by itself where a method does not exist.
    assert_eq!(unreachable("thing.unknown()", false), None);
}

#[test]
fn nodes_and_added_methods_of_a_program_are_found() {
    assert_eq!(node_names("$('A').first().json.x + $node[\"B\"].json.y + $node.C.json.z"), ["A", "B", "C"]);
    assert!(uses_extensions("$json.list.unique()"));
    assert!(!uses_extensions("$json.unique"));
}

#[test]
fn text_without_an_equals_sign_is_plain() {
    assert_eq!(parse("a {{ $json.b }}"), [Part::Text("a {{ $json.b }}".to_owned())]);
    let parts = parse("=a {{ $now.format('x') }} {{ 'b' }}");
    assert_eq!(parts[1], Part::Expression("$now.format('x')".to_owned()));
    assert_eq!(parts[3], Part::Expression("'b'".to_owned()));
}

#[test]
fn parameters_that_an_agent_chooses_have_a_name_and_a_description() {
    let found = from_ai("/*n8n-auto-generated*/ $fromAI('city', `Which city`, 'string')");
    assert_eq!(found, Some(("city".to_owned(), Some("Which city".to_owned()))));
}

#[test]
fn only_a_program_with_its_own_ends_is_closed() {
    for source in [
        "$json.a.map((x) => ({ y: `${x}(` })) /* ( */",
        "$json.t.replace(/\\(/g, ')').split(/[/)]/)",
        "$json.a / 2 / (3)",
        "/a(/.test($json.b) // (",
        "`a ${ { b: `}` }.b } c`",
        "(() => { return /\"/g; })()",
        "'it\\'s (' + \"[\"",
    ] {
        assert!(is_closed(source), "{source}");
    }
    for source in
        ["1)), String((2", "1], [2", "} + {", "(1", "'a", "`a ${1", "`a", "1 /* a", "$json.a[0", "((1)]"]
    {
        assert!(!is_closed(source), "{source}");
    }
}
