use serde_json::{Value, json};

use super::super::{Syntax, Template};
use crate::codes;

fn rendered(source: &str, values: &Value) -> Result<String, String> {
    let values = values.as_object().unwrap().clone();
    Template::with_syntax(source, Syntax::Jinja)
        .evaluate(values)
        .map_err(|fault| fault.code.as_str().to_owned())
}

#[test]
fn values_are_written_as_python_writes_them() {
    let values = json!({
        "none": null, "yes": true, "n": 3, "f": 1.5, "list": ["a", 1, null, "it's"], "object": { "k": [false] }, "text": "你好😀",
    });
    for (source, expected) in [
        ("[{{ none }}] {{ yes }} {{ n }} {{ f }}", "[None] True 3 1.5"),
        ("{{ list }}", "['a', 1, None, \"it's\"]"),
        ("{{ object }}", "{'k': [False]}"),
        ("[{{ object.missing }}]", "[]"),
        ("{{ text | length }}", "3"),
        ("{{ text.upper() }}{{ 'a,b'.split(',') | join('+') }}", "你好😀a+b"),
        ("{% for key, value in object.items() %}{{ key }}={{ value }};{% endfor %}", "k=[False];"),
        (
            "{% for item in list if item %}{{ loop.index }}{{ item }}{{ ',' if not loop.last }}{% endfor %}",
            "1a,21,3it's",
        ),
        ("{% set total = n + 1 %}{{ total * 2 }}", "8"),
        ("{{ none or 'other' }}{{ missing | default('d') }}", "otherd"),
        ("{% if n > 2 and yes %}big{% elif n %}small{% endif %}", "big"),
        ("a{#- note -#} b", "ab"),
        ("{{ object | tojson }}", "{\"k\": [false]}"),
        ("{{ 'one two three four' | truncate(11) }}|{{ 'a b' | truncate(1) }}", "one two...|a b"),
        ("{{ 'one two three' | truncate(4, true, end='.', leeway=0) }}", "one."),
        ("{{ 'it is one' | wordcount }}{{ '<b>x</b>' | striptags }}", "3x"),
    ] {
        assert_eq!(rendered(source, &values).as_deref(), Ok(expected), "{source}");
    }
}

#[test]
fn inputs_are_the_variables_that_the_template_does_not_set_itself() {
    let source =
        "{% set own = a %}{% for item in list %}{{ item.x }}{{ own }}{{ range(3) }}{% endfor %}{{ b.c }}";
    let template = Template::with_syntax(source, Syntax::Jinja);
    let names: Vec<&str> = template.variables().iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "list"]);
}

#[test]
fn variable_is_optional_where_the_template_says_what_stands_in_its_place() {
    let source =
        "{{ a | default('x') }}{% if b is not defined %}{{ c }}{% endif %}{{ d.a | d }}{{ bc | upper }}";
    let template = Template::with_syntax(source, Syntax::Jinja);
    let optional = template.variables().iter().filter(|variable| variable.optional);
    assert_eq!(optional.map(|variable| variable.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(rendered(source, &json!({ "d": {}, "bc": "y" })).as_deref(), Ok("xY"));
}

#[test]
fn template_that_runs_away_is_stopped() {
    let code = |source: &str| rendered(source, &json!({})).unwrap_err();
    let nested = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}";
    assert_eq!(code(nested), codes::TEMPLATE_TOO_MANY_STEPS.as_str());
    assert_eq!(code("{% include 'other' %}"), codes::TEMPLATE_SYNTAX.as_str());
    assert_eq!(code("{{ a | nofilter }}"), codes::TEMPLATE_UNKNOWN_HELPER.as_str());
    assert_eq!(code("{% if a %}"), codes::TEMPLATE_SYNTAX.as_str());
    let deep = format!("{}x{}", "{% if 1 %}".repeat(500), "{% endif %}".repeat(500));
    assert!(rendered(&deep, &json!({})).is_err());
    let doubled = format!("{{% set a = ['x'] %}}{}{{{{ a }}}}", "{% set a = [a, a] %}".repeat(40));
    assert_eq!(code(&doubled), codes::TEMPLATE_TOO_LARGE.as_str());
}

#[test]
fn expressions_that_nest_deeper_than_a_thread_can_take_do_not_end_the_process() {
    let chain = format!("{{{{ a{} }}}}", ".b".repeat(8_000));
    let negated = format!("{{{{ {}a }}}}", "not ".repeat(8_000));
    for source in [chain, negated] {
        // Whether it can be used does not matter.
        let template = Template::with_syntax(source, Syntax::Jinja);
        let _ = template.variables();
    }
}

#[test]
fn filter_that_is_unknown_is_found_before_the_template_is_rendered() {
    let problem = |source: &str| {
        let template = Template::with_syntax(source, Syntax::Jinja);
        template.problem().map(|problem| (problem.line, problem.to_string()))
    };
    for source in [
        "{{ a | upper | replace('}}', '|nofilter') }}",
        "{{ 'it\\'s |nofilter' }}{{ \"|nofilter\" }}",
        "{# a | nofilter #}a | nofilter is notest{% raw %}{{ a | nofilter }}{% endraw %}{{ a|d }}",
        "{% if a is not defined and b is divisibleby 3 %}{% endif %}",
        "{% filter trim %} a {% endfilter %}{{ a.is_it }}{{ list|map('upper')|join(', ') }}{{ a|tojson }}",
        "{{ 'never closed | nofilter",
    ] {
        assert!(!problem(source).is_some_and(|(_, message)| message.contains("nofilter")), "{source}");
    }
    for (source, line, name) in [
        ("a\n{% if b %}\n{{ a | nofilter }}{% endif %}", 3, "filter `nofilter`"),
        ("{% filter nofilter %}a{% endfilter %}", 1, "filter `nofilter`"),
        ("{{ a is not notest }}", 1, "test `notest`"),
        ("{% for item in list|nofilter(1) -%}{% endfor %}", 1, "filter `nofilter`"),
    ] {
        let (at, message) = problem(source).unwrap();
        assert!(at == line && message.contains(name), "{source}: {at} {message}");
    }
}

#[test]
fn line_ends_are_those_of_jinja() {
    let text = rendered("a\r\n{{ v }}\rb\r\n", &json!({ "v": "x\r\ny" }));
    assert_eq!(text.as_deref(), Ok("a\nx\r\ny\nb"));
}
