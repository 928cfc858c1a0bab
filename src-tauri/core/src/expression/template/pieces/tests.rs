use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::Template;
use super::{PieceSource, Rendered};
use crate::expression::as_text;

fn rendered(source: &str, values: &Value) -> Rendered {
    let values = values.as_object().cloned().unwrap_or_default();
    let template = Template::new(source);
    let rendered = template.render_pieces(values.clone()).unwrap_or_else(|fault| panic!("{source}: {fault}"));
    assert_eq!(rendered.text, template.evaluate(values).unwrap(), "{source}");
    rendered
}

/// The pieces of a text, each with its source: nothing of a literal, `=path` of a copy, `~paths` of a computed piece.
fn pieces(source: &str, values: &Value) -> Vec<(String, String)> {
    let rendered = rendered(source, values);
    let described = rendered.pieces.iter().map(|piece| {
        let source = match &piece.source {
            PieceSource::Literal => String::new(),
            PieceSource::Copy { path, start: 0 } => format!("={}", path.join(".")),
            PieceSource::Copy { path, start } => format!("={}+{start}", path.join(".")),
            PieceSource::Computed { paths } => {
                format!("~{}", paths.iter().map(|path| path.join(".")).collect::<Vec<_>>().join(","))
            }
        };
        (rendered.text[piece.range.clone()].to_owned(), source)
    });
    described.collect()
}

#[test]
fn pieces_name_the_value_that_they_copy() {
    let values = json!({
        "name": "Ada", "items": [{ "name": "tea", "price": 4 }, { "name": "cup", "price": 12 }],
        "user": { "name": " Bo " }, "tags": ["a", 2], "map": { "k": "v" }, "key": "k",
    });
    for (source, expected) in [
        ("plain", vec![("plain", "")]),
        ("{{name}}", vec![("Ada", "=name")]),
        ("Dear {{name}}!", vec![("Dear ", ""), ("Ada", "=name"), ("!", "")]),
        ("{{user.name}}", vec![(" Bo ", "=user.name")]),
        ("{{trim user.name}}", vec![("Bo", "=user.name+1")]),
        ("{{upper name}}", vec![("ADA", "~name")]),
        ("{{upper (trim user.name)}}", vec![("BO", "~user.name")]),
        ("{{#if (len tags)}}{{upper (trim name)}}{{/if}}", vec![("ADA", "~name")]),
        (
            "{{#each items}}{{name}}:{{price}} {{/each}}",
            vec![
                ("tea", "=items.0.name"),
                (":", ""),
                ("4", "=items.0.price"),
                (" ", ""),
                ("cup", "=items.1.name"),
                (":", ""),
                ("12", "=items.1.price"),
                (" ", ""),
            ],
        ),
        (
            "{{#each items as |it|}}{{it.price}}{{/each}}",
            vec![("4", "=items.0.price"), ("12", "=items.1.price")],
        ),
        ("{{#with user}}{{name}}{{../name}}{{/with}}", vec![(" Bo ", "=user.name"), ("Ada", "=name")]),
        ("{{json map}}", vec![("{\"k\":\"v\"}", "=map")]),
        ("{{json name}}", vec![("\"Ada\"", "~name")]),
        ("{{join tags \"; \"}}", vec![("a", "=tags.0"), ("; ", ""), ("2", "=tags.1")]),
        ("{{default nobody name}}", vec![("Ada", "=name")]),
        ("{{default nobody \"x\"}}", vec![("x", "")]),
        ("{{len items}} {{name}}", vec![("2", "~items"), (" ", ""), ("Ada", "=name")]),
        ("a{{lookup map key}}b", vec![("a", ""), ("v", "~key,map"), ("b", "")]),
        ("{{#if (eq name \"Ada\")}}yes{{name}}{{/if}}", vec![("yes", ""), ("Ada", "=name")]),
    ] {
        let expected: Vec<(String, String)> =
            expected.into_iter().map(|(text, from)| (text.to_owned(), from.to_owned())).collect();
        assert_eq!(pieces(source, &values), expected, "{source}");
    }
}

#[test]
fn iteration_names_come_from_every_variable() {
    let values = json!({ "items": ["a", "b"] });
    let found = pieces("{{#each items}}{{@index}}{{/each}}", &values);
    assert_eq!(found, [("0".to_owned(), "~".to_owned()), ("1".to_owned(), "~".to_owned())]);
}

fn at<'v>(values: &'v Value, path: &[String]) -> &'v Value {
    path.iter().fold(values, |value, name| match value {
        Value::Array(items) => &items[name.parse::<usize>().unwrap()],
        other => &other[name.as_str()],
    })
}

fn parts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[a-c]".prop_map(|name| format!("{{{{{name}}}}}")),
        "[a-c]".prop_map(|name| format!("{{{{trim {name}.text}}}}")),
        "[a-c]".prop_map(|name| format!("{{{{json {name}}}}}")),
        "[a-c]".prop_map(|name| format!("{{{{join {name}.list \", \"}}}}")),
        "[a-c]".prop_map(|name| format!("{{{{upper (trim {name}.text)}}}}")),
        "[a-c]".prop_map(|name| format!("{{{{default {name}.none {name}.text}}}}")),
        "[a-c]".prop_map(|name| format!(
            "{{{{#each {name}.list}}}}{{{{this}}}}-{{{{../{name}.text}}}}{{{{/each}}}}"
        )),
        "[a-c]".prop_map(|name| format!(
            "{{{{#if (len {name}.list)}}}}{{{{lookup {name} \"text\"}}}}{{{{/if}}}}"
        )),
        "[ a-zé😀.]{1,6}",
    ];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

fn value() -> impl Strategy<Value = Value> {
    ("[ a-dé😀\"\\n]{0,6}", prop::collection::vec("[ a-dé]{0,4}", 0..4))
        .prop_map(|(text, list)| json!({ "text": text, "list": list, "none": null }))
}

proptest! {
    #[test]
    fn pieces_cover_the_text_and_copies_equal_their_values(source in parts(), a in value(), b in value(), c in value()) {
        let values = json!({ "a": a, "b": b, "c": c });
        let rendered = rendered(&source, &values);
        let mut end = 0;
        for piece in &rendered.pieces {
            prop_assert_eq!(piece.range.start, end, "{}", source);
            prop_assert!(piece.range.end > end, "{}", source);
            end = piece.range.end;
            if let PieceSource::Copy { path, start } = &piece.source {
                let text = as_text(at(&values, path));
                let copied = &rendered.text[piece.range.clone()];
                prop_assert_eq!(&text[*start..start + copied.len()], copied, "{}", source);
            }
        }
        prop_assert_eq!(end, rendered.text.len(), "{}", source);
    }
}
