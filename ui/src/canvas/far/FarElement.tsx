import type { NodeProps } from "@xyflow/react";
import { type ComponentType, memo } from "react";
import { TitleField } from "@/canvas/cards/CardTitle";
import { FoldedHandles } from "@/canvas/cards/FoldedParts";
import { StatusRing } from "@/canvas/cards/StatusRing";
import { useLoopRun, useNodeState } from "@/canvas/cards/useElementViews";
import { FrameResizer } from "@/canvas/frames/FrameBox";
import { useFrameRun } from "@/canvas/frames/frame-run";
import { TEXTS } from "@/canvas/texts";
import type { NodeRunState } from "@/run/nodes/element-views";
import type { CanvasElement, CanvasNode, FrameNode } from "@/workspace/canvas-store";
import { useCanvas, useNodeTypes, useWorkspace } from "@/workspace/context";
import { useUntrustedPath } from "@/workspace/run-hooks";
import { titleOf } from "./tiles";

/**
 * A component of the canvas that in the far view is only an element to press, to focus and to be read out: what it shows is
 * painted. A comment that is being written stays what it is.
 */
export function withFarView<E extends CanvasElement>(
  Near: ComponentType<NodeProps<E>>,
  Far: ComponentType<NodeProps<E>>,
) {
  return function CanvasElementView(props: NodeProps<E>) {
    const isFar = useCanvas(
      ({ far, renaming }) => far === true && !(props.type === "comment" && renaming === props.id),
    );
    return isFar ? <Far {...props} /> : <Near {...props} />;
  };
}

export const FarNode = memo(function FarNode({ id, type, data, width, height, selected }: NodeProps<CanvasNode>) {
  const { editor } = useWorkspace();
  const { node, folded } = data;
  const isLoop = type === "loop" || folded !== undefined;
  const loop = useLoopRun(isLoop ? id : undefined);
  const own = useNodeState(id);
  const title = useNodeTypes((types) => titleOf(types, { type: type as CanvasNode["type"], data }));
  const untrusted = useUntrustedPath((marked) => marked?.nodes.has(id) ?? false);
  return (
    <FarElement
      {...{ id, title, width, height, selected, untrusted }}
      testId={`node-${id}`}
      kind={type}
      state={type === "comment" ? undefined : isLoop ? loop?.state : own}
      label={TEXTS.nodeName}
      onRename={(name) => editor.rename(id, name)}
      given={node.title}
    />
  );
});

export const FarFrame = memo(function FarFrame({ id, data, width, height, selected }: NodeProps<FrameNode>) {
  const { editor } = useWorkspace();
  const { frameId, frame, folded } = data;
  const run = useFrameRun(frame);
  return (
    <FarElement
      {...{ id, width, height, selected }}
      title={frame.title}
      testId={`frame-${frameId}`}
      kind={folded ? "card" : "frame"}
      state={folded && run?.state}
      label={TEXTS.frameTitle}
      onRename={(name) => editor.renameFrame(frameId, name)}
      given={frame.title}
    >
      {folded ? (
        <FoldedHandles sides={folded} title={TEXTS.edgesOfFrame} />
      ) : (
        <FrameResizer frameId={frameId} isVisible={selected} />
      )}
    </FarElement>
  );
});

type Props = {
  id: string;
  testId: string;
  kind: string;
  title: string;
  /** Canvas units. */
  width?: number;
  height?: number;
  selected: boolean;
  untrusted?: boolean;
  state?: NodeRunState;
  label: string;
  /** The title that it was given, which renaming begins with. */
  given?: string;
  onRename: (title: string) => void;
  children?: React.ReactNode;
};

function FarElement(props: Props) {
  const { id, kind, title, state } = props;
  const renaming = useCanvas((all) => all.renaming === id);
  const isTarget = useCanvas((all) => all.dropTarget === id);
  return (
    <div
      className="far-element"
      data-testid={props.testId}
      data-kind={kind}
      data-selected={props.selected || undefined}
      data-state={state}
      data-drop-target={isTarget || undefined}
      data-untrusted={props.untrusted || undefined}
      style={{ width: props.width, height: props.height }}
      title={kind === "loop" ? undefined : title}
    >
      {kind === "loop" ? <div className="far-bar loop-bar" title={title} /> : null}
      {props.children}
      {renaming ? (
        <TitleField
          id={id}
          label={props.label}
          title={props.given ?? ""}
          placeholder={title}
          onRename={props.onRename}
        />
      ) : (
        <span className="sr-only">
          {title}
          {kind === "comment" || kind === "frame" ? null : <StatusRing node={id} state={state} />}
        </span>
      )}
    </div>
  );
}
