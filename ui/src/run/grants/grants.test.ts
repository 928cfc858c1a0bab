import { describe, expect, it } from "vitest";
import type { NeedStatus } from "@/bindings";
import { countChoices, type GrantChoice, neededBy, needsByKind, reasonsOf, rulesOf, targetName } from "./grants";

function status(target: string, more: Partial<NeedStatus["need"]> = {}): NeedStatus {
  const kind = target.split("=")[0] as NeedStatus["need"]["kind"];
  return { need: { target, kind, write: false, uses: [], ...more }, state: "new" };
}

const HOST = status("host=api.example.com", { write: true });
const COMMAND = status("command=files", { seen: "npx files" });
const FOLDER = status("folder=/p/notes");
const TOOL = status("tool=files/*", { write: true });

describe("rules of the choices before a run", () => {
  it("keep what is decided for good and pass on the rest for one run", () => {
    const choices = new Map<string, GrantChoice>([
      [COMMAND.need.target, "always"],
      [HOST.need.target, "once"],
      [TOOL.need.target, "ask"],
      [FOLDER.need.target, "never"],
    ]);
    expect(rulesOf([HOST, COMMAND, FOLDER, TOOL], choices, true)).toEqual({
      kept: [
        { target: "command=files", decision: "allow", seen: "npx files" },
        { target: "folder=/p/notes", decision: "deny" },
        { target: "tool=files/*", decision: "ask", write: true },
      ],
      once: [{ target: "host=api.example.com", decision: "allow", write: true }],
    });
    expect(countChoices([HOST, COMMAND, FOLDER, TOOL], choices)).toEqual({ allowed: 2, asked: 1, denied: 1 });
  });

  it("deny what nobody chose, for one run", () => {
    const { kept, once } = rulesOf([HOST, FOLDER], new Map(), true);
    expect(kept).toEqual([]);
    expect(once.map((rule) => rule.decision)).toEqual(["deny", "deny"]);
  });
});

describe("rules of a flow without a file", () => {
  it("hold for one run, whatever was chosen", () => {
    const choices = new Map<string, GrantChoice>([
      [COMMAND.need.target, "always"],
      [TOOL.need.target, "ask"],
    ]);
    const { kept, once } = rulesOf([COMMAND, TOOL], choices, false);
    expect(kept).toEqual([]);
    expect(once.map((rule) => rule.decision)).toEqual(["allow", "ask"]);
  });
});

describe("needs", () => {
  it("are grouped by kind, commands first", () => {
    const groups = needsByKind([TOOL, FOLDER, COMMAND, HOST]);
    expect(groups.map(({ kind }) => kind)).toEqual(["command", "host", "folder", "tool"]);
    expect(needsByKind([HOST])).toHaveLength(1);
  });

  it("name what for and by which nodes, each once", () => {
    const need = status("host=a.com", {
      uses: [
        { node: "a", title: "Parcels", what: "GET" },
        { node: "a", title: "Parcels", what: "POST" },
        { node: "b", flow: "child.flow.json", what: "GET" },
        { what: "read" },
      ],
    }).need;
    expect(reasonsOf(need, "flow settings")).toEqual({
      whats: ["GET", "POST", "read"],
      nodes: ["Parcels", "child.flow.json › b", "flow settings"],
    });
    expect(targetName("folder=/a=b")).toBe("/a=b");
  });

  it("are read from the error, if it has any", () => {
    expect(neededBy({ needs: [HOST] })).toEqual([HOST]);
    for (const details of [undefined, null, {}, { needs: [] }, { needs: "x" }])
      expect(neededBy(details)).toBeUndefined();
  });
});
