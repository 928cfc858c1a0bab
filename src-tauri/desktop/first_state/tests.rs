use serde_json::json;

use super::*;

const PAGE: &str = r#"<!doctype html><html lang="en"><head></head><body><div id="root"></div></body></html>"#;

fn replies(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).unwrap()
}

#[test]
fn replies_are_a_block_of_data_that_no_text_ends() {
    let page = with_replies(
        PAGE,
        &replies(
            json!({ "settings.get": { "theme": "light", "ui": { "note": "</script><script>alert(1)" } } }),
        ),
    )
    .unwrap();
    let (_, rest) = page.split_once(r#"<script type="application/json" id="first-replies">"#).unwrap();
    let (block, rest) = rest.split_once("</script>").unwrap();
    assert_eq!(rest, "</body></html>");
    let read: Value = serde_json::from_str(block).unwrap();
    assert_eq!(read["settings.get"]["ui"]["note"], "</script><script>alert(1)");
}

#[test]
fn chosen_theme_is_on_the_page_and_that_of_the_system_is_not() {
    let page =
        |theme: &str| with_replies(PAGE, &replies(json!({ "settings.get": { "theme": theme } }))).unwrap();
    assert!(page("light").contains(r#"<html data-theme="light" lang="en">"#));
    assert!(page("dark").contains(r#"<html data-theme="dark" lang="en">"#));
    assert!(page("system").contains(r#"<html lang="en">"#));
}

#[test]
fn every_command_of_the_first_render_answers_without_arguments() {
    let home = tempfile::tempdir().unwrap();
    let plait = Plait::open(plait_api::Options::new(home.path(), plait_app::parts())).unwrap();
    let replies = tokio::runtime::Runtime::new().unwrap().block_on(first_replies(&plait));
    assert_eq!(replies.keys().map(String::as_str).collect::<Vec<_>>(), {
        let mut names = COMMANDS.to_vec();
        names.sort_unstable();
        names
    });
}
