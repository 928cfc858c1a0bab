import { type NodeProps, NodeResizer } from "@xyflow/react";
import { type CSSProperties, memo, useEffect, useRef } from "react";
import type { Node } from "@/bindings";
import { MIN_COMMENT_SIZE } from "@/canvas/measure/geometry";
import { TEXTS } from "@/canvas/texts";
import { Markdown } from "@/design/markdown/Markdown";
import { tint } from "@/flow/edits/canvas-colors";
import { commentField } from "@/flow/node-types/node-types";
import type { CanvasNode } from "@/workspace/canvas-store";
import { useCanvas, useNodeTypes, useWorkspace } from "@/workspace/context";
import { keepOwnKeys } from "./CardTitle";
import { Findings } from "./Findings";

/** A comment on the canvas, in Markdown. It never runs. Double-click or F2 to write in it. */
export const CommentCard = memo(function CommentCard({ id, data, selected }: NodeProps<CanvasNode>) {
  const { editor, canvas } = useWorkspace();
  const writing = useCanvas((state) => state.renaming === id);
  const field = useNodeTypes((types) => commentField(types, data.node)) ?? "";
  const text = textAt(data.node, field);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: F2 does the same from the keyboard.
    <div
      className="comment"
      data-testid={`node-${id}`}
      data-selected={selected || undefined}
      data-color={data.color}
      style={{ "--tint": tint(data.color) } as CSSProperties}
      onDoubleClick={(event) => {
        event.stopPropagation();
        if (editor.mayEdit()) canvas.set({ renaming: id });
      }}
    >
      <NodeResizer
        isVisible={selected}
        minWidth={MIN_COMMENT_SIZE.width}
        minHeight={MIN_COMMENT_SIZE.height}
        onResizeEnd={(_, { x, y, width, height }) =>
          editor.place("Resize", new Map([[id, { x, y, width: Math.round(width), height: Math.round(height) }]]))
        }
      />
      {data.node.title ? <b className="comment-title">{data.node.title}</b> : null}
      {writing ? (
        <CommentField id={id} field={field} text={text} />
      ) : text === "" ? (
        <p className="text-fg-3">{TEXTS.doubleClickPressF2}</p>
      ) : (
        <Markdown text={text} className="comment-text nowheel" />
      )}
      <span className="comment-finding">
        <Findings id={id} />
      </span>
    </div>
  );
});

function CommentField({ id, field, text }: { id: string; field: string; text: string }) {
  const { editor, canvas } = useWorkspace();
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const settle = () => {
    editor.sealGesture();
    canvas.set({ renaming: undefined });
  };
  return (
    <textarea
      ref={area}
      className="comment-field nodrag nopan nowheel"
      data-testid={`comment-text-${id}`}
      aria-label={TEXTS.noteTextMarkdown}
      value={text}
      onChange={(event) => editor.setConfig(id, [field], event.target.value)}
      onBlur={settle}
      onKeyDown={(event) => {
        keepOwnKeys(event);
        if (event.key !== "Escape") return;
        const card = event.currentTarget.closest<HTMLElement>(".react-flow__node");
        event.currentTarget.blur();
        card?.focus({ preventScroll: true });
      }}
    />
  );
}

function textAt(node: Node, field: string): string {
  const text = node.config?.[field];
  return typeof text === "string" ? text : "";
}
