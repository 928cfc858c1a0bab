import type { EdgeId, NodeId } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { Empty } from "@/design/text/Empty";
import { InlineCode } from "@/design/text/InlineCode";
import { edgeKind } from "@/flow/connect/ports";
import { displayedFlow } from "@/flow/document/flow-state";
import { useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";
import { QuickFixButton } from "@/workspace/errors/QuickFixButton";
import { useEdgeRun, useForcedFrom } from "@/workspace/run-hooks";
import { TEXTS } from "./texts";

const STRANDS = { context: "Context edge", data: "Data edge", tools: "Tools edge" };

/** One edge: its strand, its ends, its problems, its last value. */
export function EdgeInspector({ edgeId }: { edgeId: EdgeId }) {
  const { editor } = useWorkspace();
  const types = useNodeTypes((all) => all);
  const edge = useFlow((state) => displayedFlow(state).edges[edgeId]);
  const kind = useFlow((state) => (edge ? edgeKind(types, displayedFlow(state), state.checked, edge) : "data"));
  const back = useFlow((state) => state.checked.backEdges.includes(edgeId));
  const diagnostics = useFlow((state) => state.checked.diagnostics);
  const readOnly = useFlow((state) => state.viewing !== undefined);
  const run = useEdgeRun(edgeId, kind);
  const forcedFrom = useForcedFrom(edgeId);
  if (!edge) return <Empty title={TEXTS.edgeNotFound} />;
  const findings = diagnostics.filter((found) => found.edge === edgeId);
  return (
    <div className="flex h-full flex-col">
      <header className="shrink-0 border-line border-b px-3 py-2.5">
        <h2 className="flex items-center gap-2 font-semibold">
          <i className="port-mark" data-kind={kind} aria-hidden />
          {STRANDS[kind]}
        </h2>
        {forcedFrom === undefined ? null : <p className="text-fg-3 text-xs">{TEXTS.forcedFrom(forcedFrom)}</p>}
        {back ? <p className="text-fg-3 text-xs">{TEXTS.backEdgeStartsNext}</p> : null}
      </header>
      <div className="flex flex-col gap-3 overflow-y-auto px-3 py-3">
        {findings.map((found) => (
          <p key={`${found.code}${found.message}`} className="finding-box" data-severity={found.severity}>
            <InlineCode text={found.message} />{" "}
            <span className="text-fg-2">
              <InlineCode text={found.hint ?? ""} />
            </span>
            <QuickFixButton finding={found} className="mt-1.5" />
          </p>
        ))}
        <End label={TEXTS.from} node={edge.source} port={edge.sourceOutput} />
        <End label={TEXTS.to} node={edge.target} port={edge.targetInput} />
        {run ? (
          <div>
            <p className="mb-0.5 text-fg-3 text-xs">{TEXTS.lastValueOf(run.passed)}</p>
            <p className="break-words rounded-md bg-bg px-2 py-1 text-sm">{run.peek}</p>
          </div>
        ) : null}
        <Button
          kind="danger"
          className="self-start"
          disabled={readOnly}
          onClick={() => editor.removeItems({ edges: [edgeId] })}
        >
          {TEXTS.deleteEdge}
        </Button>
      </div>
    </div>
  );
}

function End({ label, node, port }: { label: string; node: NodeId; port: string }) {
  const { canvas } = useWorkspace();
  const found = useFlow((state) => displayedFlow(state).nodes[node]);
  const title =
    useNodeTypes((types) => found?.title ?? (found ? types.byType.get(found.type)?.title : undefined)) ?? node;
  return (
    <div>
      <p className="mb-0.5 text-fg-3 text-xs">{label}</p>
      <button
        type="button"
        className="flex w-full items-baseline gap-2 rounded-md border border-line px-2 py-1 text-left hover:bg-bg-3"
        onClick={() => canvas.reveal({ node })}
      >
        <span className="truncate">{title}</span>
        <code className="ml-auto text-fg-3 text-xs">{port}</code>
      </button>
    </div>
  );
}
