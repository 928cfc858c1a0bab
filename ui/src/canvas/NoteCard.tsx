import { type NodeProps, NodeResizer } from "@xyflow/react";
import { memo, useEffect, useRef } from "react";
import type { Node } from "@/bindings";
import { Markdown } from "@/design/Markdown";
import { mayEdit, place, sealGesture, setConfig } from "@/flow/actions";
import { commentField } from "@/flow/node-types";
import { canvasStore, useCanvas } from "./canvas-store";
import type { CanvasNode } from "./elements";
import { Findings } from "./Findings";
import { keepOwnKeys } from "./field-keys";
import { MIN_NOTE_SIZE } from "./geometry";

/** A comment on the canvas, in Markdown. It never runs. Double-click or F2 to write in it. */
export const NoteCard = memo(function NoteCard({ id, data, selected }: NodeProps<CanvasNode>) {
  const writing = useCanvas((state) => state.renaming === id);
  const field = commentField(data.node) ?? "";
  const text = textAt(data.node, field);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: F2 does the same from the keyboard.
    <div
      className="note"
      data-testid={`node-${id}`}
      data-selected={selected || undefined}
      onDoubleClick={(event) => {
        event.stopPropagation();
        if (mayEdit()) canvasStore.setState({ renaming: id });
      }}
    >
      <NodeResizer
        isVisible={selected}
        minWidth={MIN_NOTE_SIZE.width}
        minHeight={MIN_NOTE_SIZE.height}
        onResizeEnd={(_, { x, y, width, height }) =>
          place("Resize", new Map([[id, { x, y, width: Math.round(width), height: Math.round(height) }]]))
        }
      />
      {data.node.title ? <b className="note-title">{data.node.title}</b> : null}
      {writing ? (
        <NoteField id={id} field={field} text={text} />
      ) : text === "" ? (
        <p className="text-fg-3">Double-click or press F2 to edit</p>
      ) : (
        <Markdown text={text} className="note-text nowheel" />
      )}
      <span className="note-finding">
        <Findings node={id} />
      </span>
    </div>
  );
});

function NoteField({ id, field, text }: { id: string; field: string; text: string }) {
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const settle = () => {
    sealGesture();
    canvasStore.setState({ renaming: undefined });
  };
  return (
    <textarea
      ref={area}
      className="note-field nodrag nopan nowheel"
      data-testid={`note-text-${id}`}
      aria-label="Note text (Markdown)"
      value={text}
      onChange={(event) => setConfig(id, [field], event.target.value)}
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
