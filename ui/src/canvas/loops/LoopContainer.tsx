import { type NodeProps, NodeResizeControl, ResizeControlVariant, useStore } from "@xyflow/react";
import { memo } from "react";
import { CardTitle } from "@/canvas/cards/CardTitle";
import { Findings } from "@/canvas/cards/Findings";
import { FoldButton } from "@/canvas/cards/FoldedParts";
import { LoopIteration } from "@/canvas/cards/LoopIteration";
import { loopKind } from "@/canvas/cards/loop-summary";
import { PinBadge } from "@/canvas/cards/PinBadge";
import { StatusRing } from "@/canvas/cards/StatusRing";
import { useLoopRun } from "@/canvas/cards/useElementViews";
import { shade } from "@/canvas/elements/elements";
import { leastLoopSize } from "@/canvas/elements/loop-elements";
import { resizeLoop } from "@/canvas/move/drop";
import { TEXTS } from "@/canvas/texts";
import { Icon } from "@/design/icons/Icon";
import type { Size } from "@/flow/containers/container-box";
import { tint } from "@/flow/edits/canvas-colors";
import type { CanvasNode } from "@/workspace/canvas-store";
import { useCanvas, useNodeTypes, useWorkspace } from "@/workspace/context";
import { useUntrustedPath } from "@/workspace/run-hooks";
import { BorderPorts } from "./BorderPorts";
import { LoopFooter } from "./LoopFooter";

/**
 * An open loop: its name above, the ports of its border at both sides, and below the iteration shown in its body. The
 * body itself is canvas, where its nodes are drawn as nodes of their own.
 */
export const LoopContainer = memo(function LoopContainer({ id, data, selected }: NodeProps<CanvasNode>) {
  const { editor } = useWorkspace();
  const { node, context, disabled, color } = data;
  const type = useNodeTypes((types) => types.byType.get(node.type));
  const state = useLoopRun(id)?.state;
  const untrusted = useUntrustedPath((marked) => marked?.nodes.has(id) ?? false);
  const isTarget = useCanvas((canvas) => canvas.dropTarget === id);
  return (
    <div
      className="loop"
      data-testid={`node-${id}`}
      data-type={node.type}
      data-selected={selected || undefined}
      data-state={state}
      data-drop-target={isTarget || undefined}
      data-untrusted={untrusted || undefined}
      data-disabled={disabled || undefined}
      data-pinned={(node.pin !== undefined && !disabled) || undefined}
      data-color={color}
      style={{ "--shade": shade(context), "--tint": tint(color) } as React.CSSProperties}
    >
      <header className="loop-bar loop-header">
        <Icon name={type?.icon} className="loop-icon" />
        <CardTitle id={id} node={node} />
        <span className="loop-kind" data-testid={`loop-kind-${id}`} title={loopKind(node)}>
          {disabled ? TEXTS.disabled : loopKind(node)}
        </span>
        {disabled ? null : <PinBadge node={node} />}
        <LoopIteration id={id} />
        <span className="loop-space" />
        <Findings id={id} />
        <StatusRing node={id} state={state} />
        <FoldButton
          folded={false}
          label={TEXTS.foldLoop}
          testId={`fold-${id}`}
          onToggle={() => editor.fold({ nodes: [id] }, true)}
        />
      </header>
      <div className="loop-strip" data-side="in" />
      <div className="loop-strip" data-side="out" />
      <BorderPorts node={id} data={data} />
      <LoopFooter id={id} node={node} />
      {selected ? <Resizer id={id} /> : null}
    </div>
  );
});

/** Its right and lower borders can be dragged, down to what its body needs. */
function Resizer({ id }: { id: string }) {
  const workspace = useWorkspace();
  const width = useStore((store) => leastOf(store, id).width);
  const height = useStore((store) => leastOf(store, id).height);
  const shared = {
    minWidth: width,
    minHeight: height,
    onResizeEnd: (_: unknown, size: Size) => resizeLoop(workspace, id, size),
  };
  return (
    <>
      <NodeResizeControl {...shared} variant={ResizeControlVariant.Line} position="right" />
      <NodeResizeControl {...shared} variant={ResizeControlVariant.Line} position="bottom" />
      <NodeResizeControl {...shared} position="bottom-right" />
    </>
  );
}

type FlowStore = { nodes: unknown };

function leastOf(store: FlowStore, id: string): Size {
  const nodes = store.nodes as readonly CanvasNode[];
  const loop = nodes.find((node) => node.id === id);
  if (!loop) return { width: 0, height: 0 };
  return leastLoopSize(
    loop,
    nodes.filter((node) => node.parentId === id),
  );
}
