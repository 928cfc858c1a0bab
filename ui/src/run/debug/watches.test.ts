import { describe, expect, it } from "vitest";
import { createFlowParts } from "@/flow/test-parts";
import { WatchStore } from "./watches";

function store(kept: Record<string, unknown> = {}) {
  const { editor } = createFlowParts();
  const memory = {
    remembered: <T>(name: string) => kept[name] as T | undefined,
    remember: (name: string, value: unknown) => {
      kept[name] = value;
    },
  };
  return { editor, kept, watches: new WatchStore(editor, memory) };
}

describe("watches", () => {
  it("are kept by file, each once; those of a flow without one go with it when it is saved", () => {
    const { editor, kept, watches } = store();
    watches.add("value");
    watches.add("tokens > 9");
    watches.add("value");
    expect(kept.watches).toEqual({});
    editor.store.setState({ path: "/flows/a.flow.json" });
    expect(kept.watches).toEqual({ "/flows/a.flow.json": ["value", "tokens > 9"] });
    const next = store(kept);
    next.watches.load();
    expect(next.watches.of("/flows/a.flow.json")).toEqual(["value", "tokens > 9"]);
  });

  it("leave nothing behind when the last one is removed", () => {
    const { editor, kept, watches } = store();
    editor.store.setState({ path: "/flows/a.flow.json" });
    watches.add("value");
    watches.remove("value");
    expect(kept.watches).toEqual({});
  });
});
