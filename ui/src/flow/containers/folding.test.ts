import { expect, it } from "vitest";
import type { Flow } from "@/bindings";
import { EMPTY_FLOW } from "@/flow/document/flow-state";
import { foldedAround, foldsAround } from "./folding";

const box = { x: 0, y: 0, width: 100, height: 100 };
/** A leaf in a frame in a loop, which is in a frame. */
const flow = (folded: { leafFrame?: boolean; loop?: boolean; loopFrame?: boolean }): Flow => ({
  ...EMPTY_FLOW,
  nodes: { loop: { type: "loop" }, leaf: { type: "text", parent: "loop" }, beside: { type: "text" } },
  layout: { loop: { x: 0, y: 0, folded: folded.loop } },
  frames: {
    inner: { title: "Inner", nodes: ["leaf"], ...box, folded: folded.leafFrame },
    outer: { title: "Outer", nodes: ["loop"], ...box, folded: folded.loopFrame },
  },
});

it("hides a node in a folded frame, the outermost fold first", () => {
  expect(foldedAround(flow({}), "leaf")).toBeUndefined();
  expect(foldedAround(flow({ leafFrame: true }), "leaf")).toEqual({ frame: "inner" });
  expect(foldedAround(flow({ leafFrame: true, loop: true }), "leaf")).toEqual({ loop: "loop" });
  const all = flow({ leafFrame: true, loop: true, loopFrame: true });
  expect(foldsAround(all, "leaf")).toEqual([{ frame: "outer" }, { loop: "loop" }, { frame: "inner" }]);
  expect(foldedAround(all, "loop")).toEqual({ frame: "outer" });
  expect(foldedAround(all, "beside")).toBeUndefined();
});
