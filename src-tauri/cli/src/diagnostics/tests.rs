use super::*;
use plait_api::engine::error::ErrorCode;

#[test]
fn rendered_diagnostic_has_position_code_and_hint() {
    let text = "{\n  \"version\": 1,\n  \"nodes\": { \"ask\": { \"type\": \"nope\" } }\n}\n";
    let diagnostic =
        Diagnostic::error(ErrorCode::NodeUnknownType, "/nodes/ask", "There is no node type `nope`.")
            .hint("`plait nodes` lists them.");
    let rendered = render("bad.flow.json", text, &[diagnostic], Style { color: false, width: 100 });
    for part in ["bad.flow.json:3:14", "node.unknown_type", "There is no node type `nope`.", "`plait nodes`"]
    {
        assert!(rendered.contains(part), "{part} is missing in:\n{rendered}");
    }
}
