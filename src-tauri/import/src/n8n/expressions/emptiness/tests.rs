use super::with_emptiness_as_functions;

#[test]
fn methods_of_any_value_become_functions() {
    for (source, expected) in [
        ("$json.a.isEmpty()", "(isNothing($json.a))"),
        ("$json['a b'][0]?.isNotEmpty() ? 1 : 2", "(!isNothing($json['a b'][0])) ? 1 : 2"),
        ("!$('Set (1)').first().json.x.isEmpty( )", "!(isNothing($('Set (1)').first().json.x))"),
        ("a && \"\".isEmpty()", "a && (isNothing(\"\"))"),
        ("(a ?? b) . isEmpty()", "(isNothing((a ?? b)))"),
        (
            "$json.a.filter(x => x.b.isEmpty()).isEmpty()",
            "(isNothing($json.a.filter(x => (isNothing(x.b)))))",
        ),
        ("$json.isEmpty", "$json.isEmpty"),
        ("isEmpty()", "isEmpty()"),
    ] {
        assert_eq!(with_emptiness_as_functions(source), expected, "{source}");
    }
}
