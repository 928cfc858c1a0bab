import type { NodeProps } from "@xyflow/react";
import { Maximize2 } from "lucide-react";
import { type CSSProperties, memo, useState } from "react";
import type { NodeId } from "@/bindings";
import { PortHandle } from "@/canvas/connect/PortHandle";
import { usePortMarks } from "@/canvas/connect/port-marks";
import { shade } from "@/canvas/elements/elements";
import { cardHeight } from "@/canvas/measure/geometry";
import { TEXTS } from "@/canvas/texts";
import { Icon } from "@/design/icons/Icon";
import { tint } from "@/flow/edits/canvas-colors";
import { openChild, runsFlow } from "@/run/control/child-run";
import type { CanvasNode } from "@/workspace/canvas-store";
import { useNodeTypes, useWorkspace } from "@/workspace/context";
import { useUntrustedPath } from "@/workspace/run-hooks";
import { Breakpoints } from "./Breakpoints";
import { CardTitle } from "./CardTitle";
import { Findings } from "./Findings";
import { FoldButton, FoldedHandles } from "./FoldedParts";
import { ForecastBadge } from "./ForecastBadge";
import { LoopIteration } from "./LoopIteration";
import { loopKind } from "./loop-summary";
import { nodeSummary } from "./node-summary";
import { PinBadge } from "./PinBadge";
import { ReplyBeside } from "./ReplyBeside";
import { RunLine } from "./RunLine";
import { StatusRing } from "./StatusRing";
import { TrialBadge } from "./TrialBadge";
import { TriggerBadge } from "./TriggerBadge";
import { useLoopRun, useNodeIteration, useNodeState } from "./useElementViews";

/** A node on the canvas: its name, summary, ports and run state. Details belong to the inspector. */
export const NodeCard = memo(function NodeCard({ id, data, selected }: NodeProps<CanvasNode>) {
  const workspace = useWorkspace();
  const { node, ports, known, context, maker, unwired, disabled, folded, color } = data;
  const type = useNodeTypes((types) => types.byType.get(node.type));
  const makerType = useNodeTypes((types) => types.byType.get(maker?.type ?? ""));
  const own = useNodeState(id);
  const loop = useLoopRun(folded ? id : undefined);
  const state = folded ? loop?.state : own;
  const untrusted = useUntrustedPath((marked) => marked?.nodes.has(id) ?? false);
  const calls = useNodeTypes((types) => runsFlow(types, node));
  const style = {
    height: cardHeight(ports, unwired),
    "--shade": shade(context),
    "--tint": tint(color),
  } as CSSProperties;
  const markOf = usePortMarks(id);
  const [pointed, setPointed] = useState(false);
  const shared = { node: id, ports, unwired, missing: !known };
  const pinned = node.pin !== undefined && !disabled;
  const summary = disabled ? (
    TEXTS.disabled
  ) : folded ? (
    <>
      <LoopIteration id={id} />
      {loopKind(node)}
    </>
  ) : (
    nodeSummary(node, type, maker && { node: maker, type: makerType })
  );
  return (
    <div
      className="card"
      data-testid={`node-${id}`}
      data-type={node.type}
      data-category={type?.category ?? "unknown"}
      data-in-context={context !== undefined || undefined}
      data-selected={selected || undefined}
      data-state={state}
      data-untrusted={untrusted || undefined}
      data-unknown={type === undefined || undefined}
      data-folded={folded !== undefined || undefined}
      data-disabled={disabled || undefined}
      data-pinned={pinned || undefined}
      data-color={color}
      style={style}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
    >
      <div className="card-head">
        <header>
          <Icon name={type?.icon} className="card-icon" />
          <CardTitle id={id} node={node} />
          {folded ? null : <IterationBadge node={id} />}
          {calls ? (
            <button
              type="button"
              className="open-child nodrag"
              aria-label={TEXTS.openSubFlow(workspace.nodeNames.nameOf(id))}
              title={TEXTS.openSubFlowDouble}
              data-testid={`open-child-${id}`}
              onClick={(event) => {
                event.stopPropagation();
                openChild(workspace, id);
              }}
            >
              <Maximize2 size={13} aria-hidden />
            </button>
          ) : null}
          {folded ? (
            <FoldButton
              folded
              label={TEXTS.unfoldLoop}
              title={TEXTS.unfoldLoopDouble}
              testId={`unfold-${id}`}
              onToggle={() => workspace.editor.fold({ nodes: [id] }, false)}
            />
          ) : null}
          <ForecastBadge node={id} />
          <Findings id={id} />
          <StatusRing node={id} state={state} />
        </header>
        {state && !disabled ? <RunLine node={id} summary={summary} /> : <p className="summary">{summary}</p>}
      </div>
      {pinned ? <PinBadge node={node} /> : <TrialBadge id={id} node={node} />}
      {pinned ? null : <TriggerBadge node={node} />}
      <FoldedHandles sides={folded} title={TEXTS.edgesOfBody} />
      <Breakpoints node={id} />
      {ports.inputs.map((port, index) => (
        <PortHandle key={port.name} {...shared} side="in" port={port} index={index} mark={markOf("in", port.name)} />
      ))}
      {ports.outputs.map((port, index) => (
        <PortHandle key={port.name} {...shared} side="out" port={port} index={index} mark={markOf("out", port.name)} />
      ))}
      {(pointed || selected) && state ? <ReplyBeside node={id} pointed={pointed} /> : null}
    </div>
  );
});

function IterationBadge({ node }: { node: NodeId }) {
  const iteration = useNodeIteration(node);
  return iteration === "" ? null : (
    <span className="epoch" title={TEXTS.iteration(iteration)}>
      #{iteration}
    </span>
  );
}
