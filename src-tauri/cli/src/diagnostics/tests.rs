use super::*;

#[test]
fn a_finding_names_file_line_column_code_and_help() {
    let text = "{\n  \"version\": 1,\n  \"nodes\": { \"ask\": { \"type\": \"nope\" } }\n}\n";
    let found = Diagnostic::error("node.unknown_type", "/nodes/ask", "There is no node type `nope`.")
        .hint("`plait nodes` lists them.");
    let drawn = render("bad.flow.json", text, &[found], Style { color: false, width: 100 });
    for part in ["bad.flow.json:3:14", "node.unknown_type", "There is no node type `nope`.", "`plait nodes`"]
    {
        assert!(drawn.contains(part), "{part} is missing in:\n{drawn}");
    }
}
