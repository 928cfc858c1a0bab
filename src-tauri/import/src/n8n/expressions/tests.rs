use super::{Part, Reference, from_ai, parse, reference};

fn path_of(source: &str) -> Option<(Option<String>, String)> {
    let Reference { node, path, .. } = reference(source)?;
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
fn methods_that_templates_have_become_helpers() {
    let helper = |source: &str| reference(source).and_then(|reference| reference.helper);
    assert_eq!(helper("JSON.stringify($json.a)"), Some("json"));
    assert_eq!(helper("$json.a.toLowerCase()"), Some("lower"));
    assert_eq!(reference("$json.a.slice(0, 5)"), None);
    assert_eq!(reference("$json.a + 1"), None);
}

#[test]
fn text_without_an_equals_sign_is_plain() {
    assert_eq!(parse("a {{ $json.b }}"), [Part::Text("a {{ $json.b }}".to_owned())]);
    let parts = parse("=a {{ $now.format('x') }} {{ 'b' }}");
    assert_eq!(parts[1], Part::Unknown("$now.format('x')".to_owned()));
    assert_eq!(parts[3], Part::Text("b".to_owned()));
}

#[test]
fn parameters_that_an_agent_chooses_have_a_name_and_a_description() {
    let found = from_ai("/*n8n-auto-generated*/ $fromAI('city', `Which city`, 'string')");
    assert_eq!(found, Some(("city".to_owned(), Some("Which city".to_owned()))));
}
