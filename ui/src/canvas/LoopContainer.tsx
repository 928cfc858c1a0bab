import { type NodeProps, NodeResizeControl, ResizeControlVariant, useStore } from "@xyflow/react";
import { memo } from "react";
import { Icon } from "@/design/Icon";
import { tint } from "@/flow/canvas-colors";
import type { Size } from "@/flow/container-box";
import type { CanvasNode } from "@/workspace/canvas-store";
import { useCanvas, useNodeTypes, useWorkspace } from "@/workspace/context";
import { useUntrustedPath } from "@/workspace/run-hooks";
import { BorderPorts } from "./BorderPorts";
import { CardTitle } from "./CardTitle";
import { resizeLoop } from "./drop";
import { shade } from "./elements";
import { Findings } from "./Findings";
import { FoldButton } from "./FoldedParts";
import { LoopFooter } from "./LoopFooter";
import { LoopIteration } from "./LoopIteration";
import { leastLoopSize } from "./loop-elements";
import { loopKind } from "./loop-summary";
import { StatusRing } from "./StatusRing";
import { TEXTS } from "./texts";
import { useLoopRun } from "./useElementViews";

/**
 * An open loop: its name above, the ports of its border at both sides, and below the iteration whose values its body shows.
 * The body itself is canvas, where its nodes are drawn as nodes of their own.
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
      data-color={color}
      style={{ "--shade": shade(context), "--tint": tint(color) } as React.CSSProperties}
    >
      <header className="loop-bar loop-header">
        <Icon name={type?.icon} className="loop-icon" />
        <CardTitle id={id} node={node} />
        <span className="loop-kind" data-testid={`loop-kind-${id}`} title={loopKind(node)}>
          {disabled ? TEXTS.disabled : loopKind(node)}
        </span>
        <LoopIteration id={id} />
        <span className="loop-space" />
        <Findings node={id} />
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
