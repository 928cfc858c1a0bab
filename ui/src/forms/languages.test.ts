import type { StreamLanguage } from "@codemirror/language";
import { describe, expect, it } from "vitest";
import { cel, jq } from "./languages";

/** The tokens of a text with their types. */
function pieces(language: StreamLanguage<unknown>, text: string): string[] {
  const found: string[] = [];
  const tree = language.parser.parse(text);
  tree.iterate({
    enter: (node) => {
      if (node.node.firstChild === null && node.name !== "Document")
        found.push(`${text.slice(node.from, node.to)}:${node.name}`);
    },
  });
  return found;
}

describe("query language highlighting", () => {
  it("jq: paths, words, texts with an escaped quote, comments", () => {
    const found = pieces(jq as StreamLanguage<unknown>, '.items | map(select(.name == "a\\"b" and .n > 1.5)) # dear');
    expect(found).toContain(".items:propertyName");
    expect(found).toContain('"a\\"b":string');
    expect(found).toContain("and:keyword");
    expect(found).toContain("1.5:number");
    expect(found).toContain("# dear:comment");
  });

  it("CEL: both quotes, fixed values, no comment begun by a hash", () => {
    const found = pieces(cel as StreamLanguage<unknown>, `value.lang in ['en', "de"] && !value.off == true // so`);
    expect(found).toContain("in:keyword");
    expect(found).toContain("'en':string");
    expect(found).toContain('"de":string');
    expect(found).toContain("true:bool");
    expect(found).toContain("// so:comment");
  });

  it("strings span lines", () => {
    const found = pieces(jq as StreamLanguage<unknown>, '"one\ntwo" | length');
    expect(found).toContain('two":string');
    expect(found).toContain("length:name");
  });
});
