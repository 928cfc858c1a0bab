use super::*;

#[test]
fn command_line_definition_is_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn color_is_known_before_the_command_line_is_parsed() {
    for (args, expected) in [
        ("plait --color always check x", ColorChoice::Always),
        ("plait check x --color=never", ColorChoice::Never),
        ("plait check x", ColorChoice::Auto),
        ("plait check x --color", ColorChoice::Auto),
        ("plait mcp add x -- tool --color always", ColorChoice::Auto),
    ] {
        let words = args.split(' ').map(OsString::from);
        assert_eq!(color_choice(words), expected, "{args}");
    }
}
