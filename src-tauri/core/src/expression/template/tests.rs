#![expect(clippy::needless_pass_by_value, reason = "values are written in place")]

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{MAX_NESTING_DEPTH, MAX_SOURCE_BYTES, Template};

fn render(source: &str, values: Value) -> String {
    let values = values.as_object().cloned().unwrap_or_default();
    Template::new(source).evaluate(values).unwrap_or_else(|fault| panic!("{source}: {fault}"))
}

fn code(source: &str, values: Value) -> String {
    let values = values.as_object().cloned().unwrap_or_default();
    Template::new(source)
        .evaluate(values)
        .map_or_else(|fault| fault.code.to_string(), |text| format!("wrote {text}"))
}

fn variables(source: &str) -> Vec<String> {
    let template = Template::new(source);
    assert_eq!(template.problem(), None, "{source}");
    let named = template.variables().iter().map(|variable| {
        if variable.optional { format!("{}?", variable.name) } else { variable.name.clone() }
    });
    named.collect()
}

#[test]
fn values_are_written_as_text_or_json() {
    let values = json!({ "text": "a < b & \"c\"", "n": 2.5, "yes": true, "none": null, "list": [1, "x"], "object": { "k": [] } });
    assert_eq!(
        render("{{text}}|{{n}}|{{yes}}|{{none}}|{{list}}|{{object}}", values.clone()),
        "a < b & \"c\"|2.5|true||[1,\"x\"]|{\"k\":[]}"
    );
    assert_eq!(
        render("{{{text}}} {{&text}} {{~ text ~}} !", values),
        "a < b & \"c\" a < b & \"c\"a < b & \"c\"!"
    );
}

#[test]
fn blocks_and_helpers_render() {
    let values = json!({ "items": [{ "name": "tea", "price": 4 }, { "name": "cup", "price": 12 }], "user": { "name": " Ada " } });
    for (source, expected) in [
        ("{{#each items}}{{@index}}:{{name}}{{#unless @last}}, {{/unless}}{{/each}}", "0:tea, 1:cup"),
        ("{{#each items as |item index|}}{{index}}{{item.name}} {{/each}}", "0tea 1cup "),
        (
            "{{#each items}}{{#if (gt price 10)}}{{name}} for {{../user.name}}{{/if}}{{/each}}",
            "cup for  Ada ",
        ),
        ("{{#with user}}{{name}}{{/with}}", " Ada "),
        ("{{#with user as |u|}}{{u.name}}{{/with}}", " Ada "),
        ("{{trim user.name}}{{upper user.name}}{{lower user.name}}", "Ada ADA  ada "),
        ("{{json user}} {{len items}}", "{\"name\":\" Ada \"} 2"),
        ("{{len \"Müller\"}} {{len user}}", "6 1"),
        ("{{json items.[0] true}}", "{\n  \"name\": \"tea\",\n  \"price\": 4\n}"),
        ("{{items.[1].name}} {{items.1.name}}", "cup cup"),
        ("{{#if (eq user.name \" Ada \")}}it is{{else}}no{{/if}}", "it is"),
        ("{{#if (and (gt items.0.price 1) (not missing))}}yes{{/if}}", "yes"),
        ("{{default nobody user.name}} {{default nobody \"friend\"}}", " Ada  friend"),
        ("{{upper (default nobody \"x\")}}", "X"),
        ("\\{{name}} {{!-- {{#if}} --}}{{! }}ok", "{{name}} ok"),
        ("{{#if nobody}}a{{else if user}}b{{else}}c{{/if}}", "b"),
        ("{{#each nothing}}x{{else}}none{{/each}}", "none"),
    ] {
        assert_eq!(render(source, values.clone()), expected, "{source}");
    }
    assert_eq!(render("{{join list \", \"}}|{{join list}}", json!({ "list": ["a", 1] })), "a, 1|a\n1");
}

#[test]
fn variables_are_listed_in_order_of_first_use() {
    for (source, expected) in [
        ("plain text", vec![]),
        ("{{b}} {{a}} {{b}}", vec!["b", "a"]),
        ("{{user.name}} {{user.age}} {{[odd name].x}}", vec!["user", "odd name"]),
        (
            "{{#each items}}{{name}} {{this.price}} {{@index}} {{../shop}} {{@root.city}}{{/each}}",
            vec!["items", "shop", "city"],
        ),
        ("{{#each items as |item i|}}{{item.name}} {{i}} {{other}}{{/each}}", vec!["items"]),
        ("{{#each a}}{{#each b}}{{../../c}} {{../d}}{{/each}}{{/each}}", vec!["a", "c"]),
        ("{{#if x}}{{x}} {{y}}{{/if}}", vec!["x?", "y"]),
        ("{{#with this}}{{z}}{{/with}}", vec!["z"]),
        ("{{#with user}}{{z}}{{else}}{{w}}{{/with}}", vec!["user?", "w"]),
        ("{{#each list}}{{else}}{{w}}{{/each}}{{list}}", vec!["list?", "w"]),
        ("{{default a b}}{{json c}}{{join d e}}", vec!["a?", "b?", "c", "d", "e"]),
        ("{{#if (eq a (len b))}}{{/if}}", vec!["a?", "b?"]),
        ("{{this}} {{@root}} {{true}} {{json}}", vec!["true", "json"]),
        ("{{lookup map key}}", vec!["map", "key"]),
        ("{{#if a}}{{else if b}}{{c}}{{/if}}", vec!["a?", "b?", "c"]),
        ("{{größe}} {{a-b}} {{a_b}}", vec!["größe", "a-b", "a_b"]),
    ] {
        assert_eq!(variables(source), expected, "{source}");
    }
}

#[test]
fn partials_decorators_and_raw_blocks_are_refused() {
    for source in [
        "{{> x}}",
        "{{ > x}}",
        "{{~> x}}",
        "{{~ ~> x}}",
        "{{#> x}}{{/x}}",
        "{{# > x}}{{/x}}",
        "{{~#~> x}}{{/x}}",
        "{{#*inline \"x\"}}{{/inline}}",
        "{{ # * inline \"x\"}}{{/inline}}",
        "{{~#*inline \"x\"}}{{/inline}}",
        "{{* x}}",
        "{{ ~ * x}}",
        "{{{{raw}}}} {{x}} {{{{/raw}}}}",
        "{{{{> x}}}}",
        "\\\\{{> x}}",
        "{{!-- --}}{{> x}}",
        "{{!}}{{> x}}",
        "{{a.[\"]}}{{> x}}",
        "{{#if a}}{{a.[}}{{/if}}]}}{{/if}}",
    ] {
        assert_eq!(code(source, json!({})), "template.forbidden", "{source}");
    }
}

#[test]
fn size_and_nesting_are_bounded() {
    assert_eq!(code(&"x".repeat(MAX_SOURCE_BYTES + 1), json!({})), "template.source_too_large");
    assert_eq!(code(&"x".repeat(MAX_SOURCE_BYTES), json!({})).len(), MAX_SOURCE_BYTES + "wrote ".len());
    let nested = |depth: usize| "{{#if a}}".repeat(depth) + "x" + &"{{/if}}".repeat(depth);
    assert_eq!(code(&nested(MAX_NESTING_DEPTH), json!({ "a": 1 })), "wrote x");
    assert_eq!(code(&nested(MAX_NESTING_DEPTH + 1), json!({ "a": 1 })), "template.too_deep");
    let chained = |depth: usize| format!("{{{{#if a}}}}{}{{{{/if}}}}", "{{else if a}}".repeat(depth));
    assert_eq!(code(&chained(MAX_NESTING_DEPTH - 1), json!({})), "wrote ");
    assert_eq!(code(&chained(MAX_NESTING_DEPTH), json!({})), "template.too_deep");
    let many = "{{#if a}}{{else}}{{/if}}".repeat(1_000);
    assert_eq!(code(&many, json!({})), "wrote ");
    let calls = |depth: usize| format!("{{{{upper {}a{}}}}}", "(upper ".repeat(depth), ")".repeat(depth));
    assert_eq!(code(&calls(MAX_NESTING_DEPTH), json!({ "a": "x" })), "wrote X");
    assert_eq!(code(&calls(MAX_NESTING_DEPTH + 1), json!({ "a": "x" })), "template.too_deep");
    for hidden in ["{{!-- {{/if}} --}}", "\\{{/if}}", "{{! {{/if}}"] {
        assert_eq!(
            code(&format!("{{{{#if a}}}}{hidden}").repeat(2_000), json!({})),
            "template.too_deep",
            "{hidden}"
        );
    }
    // A closing tag inside a string closes nothing.
    let hidden = "{{#if a}}{{a \"{{/if}}\"}}".repeat(2_000);
    assert_eq!(code(&hidden, json!({})), "template.too_deep");
}

#[test]
fn output_and_steps_are_bounded() {
    let large = json!({ "list": vec![0; 1_000], "text": "x".repeat(100_000) });
    assert_eq!(code("{{#each list}}{{@root.text}}{{/each}}", large.clone()), "template.too_large");
    assert_eq!(
        code("{{#each list}}{{#each @root.list}}{{/each}}{{/each}}", large.clone()),
        "template.too_many_steps"
    );
    assert_eq!(code("{{#each list}}{{/each}}", large), "wrote ");
}

#[test]
fn problems_have_code_and_position() {
    for (source, values, code, line, column) in [
        ("ok\n  {{#if x}}", json!({}), "template.syntax", 2, 3),
        ("{{#if x}}\n{{/each}}", json!({}), "template.syntax", 2, 1),
        ("ok {{/if}}", json!({}), "template.syntax", 1, 4),
        ("{{a b=}}", json!({}), "template.syntax", 1, 7),
        ("{{name", json!({}), "template.syntax", 1, 1),
        ("é {{a}", json!({ "a": 1 }), "template.syntax", 1, 3),
        ("a\n{{shout name}}", json!({}), "template.unknown_helper", 2, 1),
        ("{{#items}}{{/items}}", json!({}), "template.unknown_helper", 1, 1),
        ("a\nb {{name}}", json!({}), "template.missing_value", 2, 3),
        ("{{user.nmae}}", json!({ "user": { "name": 1 } }), "template.missing_value", 1, 1),
        ("{{upper user.nmae}}", json!({ "user": {} }), "template.missing_value", 1, 1),
        ("{{#each list}}{{/each}}", json!({}), "template.missing_value", 1, 1),
        ("a\n{{#each list}}{{/each}}", json!({ "list": "text" }), "template.not_a_list", 2, 1),
        (
            "{{#each list}}{{#each name}}{{/each}}{{/each}}",
            json!({ "list": [{ "name": 3 }] }),
            "template.not_a_list",
            1,
            15,
        ),
        ("{{#each list}}{{name}}{{/each}}", json!({ "list": [{}] }), "template.missing_value", 1, 15),
        ("{{join text}}", json!({ "text": "x" }), "template.render", 1, 1),
        ("{{trim}}{{trim a b c}}", json!({ "trim": 1, "a": 1, "b": 2, "c": 3 }), "template.render", 1, 9),
        ("{{../x}}", json!({}), "template.syntax", 1, 1),
        ("{{#each a}}{{../../x}}{{/each}}", json!({}), "template.syntax", 1, 12),
        ("{{list.name}}", json!({ "list": [] }), "template.render", 1, 1),
    ] {
        let values = values.as_object().cloned().unwrap_or_default();
        let fault = Template::new(source).evaluate(values).unwrap_err();
        assert_eq!(
            (fault.code.as_str(), &fault.details),
            (code, &json!({ "line": line, "column": column })),
            "{source}: {fault}"
        );
        assert!(fault.message.starts_with(&format!("Line {line}, column {column}")), "{source}: {fault}");
    }
}

#[test]
fn each_over_a_text_says_what_it_is_and_what_to_do() {
    let values = json!({ "order": { "lines": "tea" } }).as_object().cloned().unwrap();
    let fault = Template::new("{{#each order.lines}}{{this}}{{/each}}").evaluate(values).unwrap_err();
    assert_eq!(
        fault.message,
        "Line 1, column 1 of the template: `{{#each}}` goes through a list, but `order.lines` is a text."
    );
    assert!(fault.hint.unwrap().starts_with("Connect a list or an object."));
}

/// Parts of a template, each with the variable that it reads and whether that may be missing.
fn pieces() -> impl Strategy<Value = Vec<(String, Option<(String, bool)>)>> {
    let name = "[a-e]";
    let piece = prop_oneof![
        name.prop_map(|n| (format!("{{{{{n}}}}}"), Some((n, false)))),
        name.prop_map(|n| (format!("{{{{json {n}}}}}"), Some((n, false)))),
        name.prop_map(|n| (format!("{{{{#if {n}}}}}y{{{{else}}}}n{{{{/if}}}}"), Some((n, true)))),
        name.prop_map(|n| (format!("{{{{default {n} \"d\"}}}}"), Some((n, true)))),
        name.prop_map(|n| (
            format!("{{{{#each {n}}}}}{{{{this}}}}{{{{x.y}}}}{{{{/each}}}}"),
            Some((n, false))
        )),
        name.prop_map(|n| (
            format!("{{{{#each {n} as |it|}}}}{{{{it}}}}{{{{else}}}}-{{{{/each}}}}"),
            Some((n, true))
        )),
        "[ a-z.,\n]{0,8}".prop_map(|text| (text, None)),
    ];
    prop::collection::vec(piece, 0..12)
}

proptest! {
    #[test]
    fn render_succeeds_exactly_with_the_listed_variables(pieces in pieces()) {
        let source: String = pieces.iter().map(|(text, _)| text.as_str()).collect();
        let mut expected: Vec<(String, bool)> = Vec::new();
        for (name, optional) in pieces.iter().filter_map(|(_, needed)| needed.clone()) {
            match expected.iter_mut().find(|(known, _)| *known == name) {
                Some((_, any)) => *any |= optional,
                None => expected.push((name, optional)),
            }
        }
        let template = Template::new(source.as_str());
        let found: Vec<_> = template.variables().iter().map(|v| (v.name.clone(), v.optional)).collect();
        prop_assert_eq!(&found, &expected, "{}", source);

        // The items have the fields that the loops read; elsewhere a list is as good as any other value.
        let value = json!([{ "x": { "y": 1 } }]);
        let all: Map<String, Value> = expected.iter().map(|(name, _)| (name.clone(), value.clone())).collect();
        prop_assert!(template.evaluate(all.clone()).is_ok(), "{}", source);
        for (name, optional) in &expected {
            let mut without = all.clone();
            without.remove(name);
            let strictly = pieces.iter().any(|(text, needed)| {
                needed.as_ref().is_some_and(|(n, o)| n == name && !o) && text.starts_with("{{#each")
            });
            // If one use of a name handles its absence, the others write nothing; a loop without an `else` fails.
            let rendered = template.evaluate(without);
            prop_assert_eq!(rendered.is_ok(), *optional && !strictly, "{} without {}", source, name);
        }
    }

    #[test]
    fn no_text_panics_or_hangs(source in "(\\{\\{|\\}\\}|[#/^>*~&!{}\\[\\]()\"'|. a-c=@\\\\]|else|if|each|as|\\.\\./){0,40}") {
        let template = Template::new(source.as_str());
        let values: Map<String, Value> =
            template.variables().iter().map(|variable| (variable.name.clone(), json!([1, { "a": 2 }]))).collect();
        if let Err(fault) = template.evaluate(values) {
            prop_assert!(fault.code.domain() == "template", "{}: {}", source, fault);
        }
    }
}
