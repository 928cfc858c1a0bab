import { memo } from "react";
import type { Node, NodeId } from "@/bindings";
import { loopBound } from "./loop-summary";

/** The lower bar of a loop: the iteration whose values its body shows, and what ends it. */
export const LoopFooter = memo(function LoopFooter({ id, node }: { id: NodeId; node: Node }) {
  return (
    <footer className="loop-bar loop-footer" data-testid={`loop-footer-${id}`}>
      <span className="loop-space" />
      <span className="loop-bound">{loopBound(node)}</span>
    </footer>
  );
});
