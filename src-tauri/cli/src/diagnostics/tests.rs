use super::*;
use crate::codes;

#[test]
fn rendered_diagnostic_has_position_code_and_hint() {
    let text = "{\n  \"version\": 1,\n  \"nodes\": { \"ask\": { \"type\": \"nope\" } }\n}\n";
    let diagnostic =
        Diagnostic::error(codes::NODE_UNKNOWN_TYPE, "/nodes/ask", "There is no node type `nope`.")
            .hint("`plait nodes` lists them.");
    let rendered = render(
        "bad.flow.json",
        text,
        &Positions::of_flow(text),
        &[diagnostic],
        Style { color: false, width: 100 },
    );
    for part in ["bad.flow.json:3:14", "node.unknown_type", "There is no node type `nope`.", "`plait nodes`"]
    {
        assert!(rendered.contains(part), "{part} is missing in:\n{rendered}");
    }
}

#[test]
fn position_far_into_a_long_line_is_rendered_with_its_surroundings_only() {
    let mut filler = String::new();
    for index in 0..60_000 {
        let _ = write!(filler, r#""n{index}":{{"type":"text"}},"#);
    }
    let text = format!("{{\"version\":1,\"nodes\":{{{filler}\"ask\":{{\"type\":\"nope\"}}}}}}");
    let column = text.find("\"ask\"").map(|at| at + 1).unwrap();
    assert!(column > 65_535);
    let diagnostic =
        Diagnostic::error(codes::NODE_UNKNOWN_TYPE, "/nodes/ask", "There is no node type `nope`.");
    let rendered = render(
        "one-line.json",
        &text,
        &Positions::of_flow(&text),
        &[diagnostic],
        Style { color: false, width: 100 },
    );
    assert!(rendered.contains(&format!("one-line.json:1:{column}")), "{rendered}");
    assert!(rendered.contains("\"ask\":{\"type\":\"nope\"}"), "{rendered}");
    assert!(rendered.len() < 1_000, "{} bytes:\n{rendered}", rendered.len());
}

#[test]
fn control_characters_of_the_file_are_not_printed() {
    let text = "{\"version\": 1, \"nodes\": \u{1b}]52;c;cGxhaXQ=\u{7}";
    let error = plait_core::flow::read(text).unwrap_err();
    let rendered = render_read_errors(
        "a\u{1b}[2J.json",
        text,
        &Positions::of_flow(text),
        &[error],
        Style { color: false, width: 100 },
    );
    assert!(rendered.chars().all(|char| char == '\n' || !char.is_control()), "{rendered:?}");
}
