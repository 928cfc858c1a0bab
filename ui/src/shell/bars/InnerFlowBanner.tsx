import { ChevronRight } from "lucide-react";
import type { NodeId } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { documentName, type FlowState } from "@/flow/document/flow-state";
import { TEXTS } from "@/shell/texts";
import { useCommands, useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";

/** Shows that a flow inside a node is edited, with the flows around it and the way back. */
export function InnerFlowBanner() {
  const { editor } = useWorkspace();
  const commands = useCommands();
  const outer = useFlow((state) => (state.viewing ? undefined : state.outer));
  const document = useFlow(documentName);
  if (!outer) return null;
  return (
    <div
      className="flex shrink-0 items-center justify-center gap-3 border-line border-b bg-bg-1 px-3 py-1.5"
      data-testid="inner-flow-banner"
    >
      <nav className="flex min-w-0 items-center gap-1" aria-label={TEXTS.outerFlows}>
        {outer.map((_, depth) => (
          <span key={pathTo(outer, depth)} className="flex min-w-0 items-center gap-1">
            <button
              type="button"
              className="truncate rounded text-fg-2 hover:text-fg hover:underline"
              data-testid={`outer-flow-${depth}`}
              onClick={() => editor.closeInner(depth)}
            >
              {depth === 0 ? document : <NodeName around={outer[depth - 1]} />}
            </button>
            <ChevronRight size={13} className="shrink-0 text-fg-3" aria-hidden />
          </span>
        ))}
        <b className="truncate font-semibold" aria-current="page" data-testid="inner-flow-here">
          <NodeName around={outer.at(-1)} />
        </b>
      </nav>
      <Button data-testid="close-inner-flow" onClick={() => commands.run("innerFlow.close")}>
        {TEXTS.backToOuterFlow}
      </Button>
    </div>
  );
}

/** The nodes on the path to that depth: their ids alone may repeat. */
function pathTo(outer: NonNullable<FlowState["outer"]>, depth: number): string {
  return ["", ...outer.slice(0, depth).map(({ node }) => node)].join("/");
}

function NodeName({ around }: { around: NonNullable<FlowState["outer"]>[number] | undefined }) {
  const id: NodeId = around?.node ?? "";
  const node = around?.flow.nodes[id];
  const type = useNodeTypes((types) => types.byType.get(node?.type ?? "")?.title);
  return <>{node?.title ?? type ?? id}</>;
}
