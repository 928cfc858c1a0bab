use super::*;

fn host(name: &str) -> Origin {
    Origin::Host(name.to_owned())
}

#[test]
fn origin_is_a_text_on_the_wire() {
    for (origin, text) in [
        (Origin::Person, "person"),
        (Origin::Model("offline/echo".into()), "model:offline/echo"),
        (Origin::File("notes/a:b.md".into()), "file:notes/a:b.md"),
        (Origin::Attachment("scan: 1.pdf".into()), "attachment:scan: 1.pdf"),
        (host("example.com:8080"), "host:example.com:8080"),
        (Origin::McpServer("everything".into()), "mcp:everything"),
        (Origin::Knowledge("./docs".into()), "knowledge:./docs"),
        (Origin::Conversation("c1".into()), "conversation:c1"),
        (host(""), "host:"),
        (Origin::Many(OriginKind::File), "file:*"),
    ] {
        assert_eq!(origin.to_string(), text);
        assert_eq!(text.parse(), Ok(origin));
    }
    for text in ["", "person:ada", "person:", "host", "planet:mars"] {
        assert_eq!(text.parse::<Origin>(), Err(UnknownOrigin), "{text}");
    }
}

#[test]
fn untrusted_is_what_others_write() {
    let all: Origins = [
        "person",
        "model:a/b",
        "file:a",
        "attachment:a",
        "host:a",
        "mcp:a",
        "knowledge:a",
        "conversation:a",
        "file:*",
    ]
    .iter()
    .filter_map(|text| text.parse().ok())
    .collect();
    assert_eq!(all.iter().count(), 9);
    let untrusted: Vec<_> = all.untrusted().iter().map(ToString::to_string).collect();
    assert_eq!(untrusted, ["file:a", "attachment:a", "host:a", "mcp:a", "knowledge:a", "file:*"]);
}

#[test]
fn union_makes_no_new_set_if_one_has_all() {
    let small = Origins::of(host("a"));
    let large: Origins = [host("a"), host("b")].into_iter().collect();
    for (mut set, other) in [(small.clone(), &large), (large.clone(), &small), (Origins::NONE, &large)] {
        set.add(other);
        assert!(matches!((&set.0, &large.0), (Some(set), Some(large)) if Arc::ptr_eq(set, large)));
    }
    let mut both = small;
    both.add(&Origins::of(Origin::Person));
    assert_eq!(both, [host("a"), Origin::Person].into_iter().collect());
}

#[test]
fn set_lists_a_bounded_number_of_places_and_stays_untrusted() {
    let mut all = Origins::of(Origin::Person);
    for number in 0..1_000 {
        all.add(&Origins::of(Origin::File(format!("{number:04}.md"))));
    }
    let texts: Vec<_> = all.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), MAX_PLACES_OF_A_KIND + 2);
    assert!(texts.contains(&"file:*".to_owned()) && texts.contains(&"person".to_owned()));
    assert_eq!(all.untrusted().iter().count(), MAX_PLACES_OF_A_KIND + 1);
}

#[test]
fn empty_set_stays_out_of_json() {
    assert!(Origins::default().is_empty());
    assert!([].into_iter().collect::<Origins>().is_empty());
    let text = r#"["host:a","person"]"#;
    let set: Origins = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&set).unwrap(), r#"["person","host:a"]"#);
    assert_eq!(serde_json::from_str::<Origins>("[]").unwrap(), Origins::NONE);
}

/// A label that could be written and not read would cost the journal, the conversation and the memory that it stands in.
#[test]
fn whatever_is_written_can_be_read() {
    for place in ["", ":", "*", "a:b", " ", "\n\0\u{202e}", "{\"", "person", "é𝄞"] {
        for kind in OriginKind::ALL {
            let origins = Origins::of(kind.origin(place.to_owned()));
            let text = serde_json::to_string(&origins).unwrap();
            let read: Origins = serde_json::from_str(&text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
            assert_eq!(read.untrusted().is_empty(), origins.untrusted().is_empty(), "{text}");
        }
    }
}
