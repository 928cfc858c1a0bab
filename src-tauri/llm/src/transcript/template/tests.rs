use serde_json::json;

use super::*;

/// The templates of the pipeline format's examples.
const LINES: &str = "{{#each history}}\n{{ this.role }}: {{ this.content }}\n{{/each}}";
const TAGS: &str = "<history>\n{{#each history}}\n<turn role=\"{{ this.role }}\">{{ this.content }}</turn>\n{{/each}}\n</history>";

fn problem(source: &str) -> String {
    HistoryTemplate::new(source).problem().map(str::to_owned).unwrap_or_default()
}

#[test]
fn templates_of_the_examples_are_valid() {
    for source in [LINES, TAGS, "{{#each history}}[{{role}}: {{content}}]{{/each}}", "{{json history}}"] {
        assert_eq!(problem(source), "", "{source}");
    }
}

#[test]
fn template_reads_only_roles_and_contents() {
    assert!(problem("{{secret}} {{#each history}}\n{{role}}: {{content}}\n{{/each}}").contains("`secret`"));
    assert!(problem("{{#each history}}\n{{role}}: {{content}} {{../input}}\n{{/each}}").contains("`input`"));
    assert!(
        problem("{{#each history}}\n{{role}}: {{content}} {{this.node}}\n{{/each}}").contains("this.node")
    );
    assert!(problem("{{@root.keys}}{{#each history}}\n{{role}}: {{content}}\n{{/each}}").contains("`keys`"));
}

#[test]
fn template_that_does_not_parse_says_where() {
    assert!(problem("{{#each history}}\n{{role").starts_with("Line 2, column 1"));
    assert!(problem("{{> partial}}").contains("partials"));
    assert!(problem(&"{{#each history}}".repeat(200)).contains("nested"));
}

#[test]
fn template_must_write_every_turn_and_separate_them() {
    assert!(problem("Nothing.").contains("every turn"));
    assert!(problem("{{#each history}}{{role}} {{content}} {{/each}}").contains("separates"));
    assert!(problem("{{#each history}}{{content}} {{role}}\n{{/each}}").contains("separates"));
}

#[test]
fn template_is_written_and_read_as_its_source() {
    let template: HistoryTemplate = serde_json::from_value(json!(LINES)).expect("a template");
    assert_eq!(serde_json::to_value(&template).expect("serializable"), json!(LINES));
    assert_eq!(template, HistoryTemplate::new(LINES));
}
