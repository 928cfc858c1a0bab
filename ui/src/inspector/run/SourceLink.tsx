import { CornerDownRight } from "lucide-react";
import type { SourceRef } from "@/bindings";
import { formatIteration } from "@/run/fold/epoch";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** The output that a value comes from. A click shows that node, in the iteration that gave the value. */
export function SourceLink({ source }: { source: SourceRef }) {
  const workspace = useWorkspace();
  return (
    <button
      type="button"
      className="mt-0.5 flex max-w-full items-center gap-1 text-fg-3 text-xs hover:text-fg hover:underline"
      onClick={() => {
        workspace.canvas.reveal({ node: source.node });
        workspace.epochChoice.choose(source.node, source.epoch);
      }}
    >
      <CornerDownRight size={11} aria-hidden className="shrink-0" />
      <span className="truncate">
        {workspace.nodeNames.nameOf(source.node)} · {source.port}
        {source.epoch.length > 0 ? TEXTS.inIteration(formatIteration(source.epoch)) : ""}
      </span>
    </button>
  );
}
