import type { KeyboardEvent } from "react";
import { useEffect, useRef } from "react";
import type { Node, NodeId } from "@/bindings";
import { TEXTS } from "@/canvas/texts";
import { isComposing } from "@/design/keys/keys";
import { useCanvas, useNodeTypes, useWorkspace } from "@/workspace/context";

/** A node's name on its card; a text field while it is being typed. */
export function CardTitle({ id, node }: { id: NodeId; node: Node }) {
  const { editor, canvas } = useWorkspace();
  const renaming = useCanvas((state) => state.renaming === id);
  const typeTitle = useNodeTypes((types) => types.byType.get(node.type)?.title) ?? node.type;
  if (renaming) {
    return (
      <TitleField
        id={id}
        label={TEXTS.nodeName}
        title={node.title ?? ""}
        placeholder={typeTitle}
        onRename={(title) => editor.rename(id, title)}
      />
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: F2 does the same from the keyboard.
    <b
      className="card-title"
      title={node.title ?? typeTitle}
      onDoubleClick={(event) => {
        event.stopPropagation();
        if (editor.mayEdit()) canvas.set({ renaming: id });
      }}
    >
      {node.title ?? typeTitle}
    </b>
  );
}

type FieldProps = {
  /** The element on the canvas that it is on. */
  id: string;
  label: string;
  title: string;
  placeholder: string;
  onRename: (title: string) => void;
};

/** A name while it is being typed. */
export function TitleField({ id, label, title, placeholder, onRename }: FieldProps) {
  const { canvas } = useWorkspace();
  const field = useRef<HTMLInputElement>(null);
  const settled = useRef(false);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const settle = (keep: boolean) => {
    if (settled.current) return;
    settled.current = true;
    const card = field.current?.closest<HTMLElement>(".react-flow__node");
    if (keep && field.current) onRename(field.current.value);
    canvas.set({ renaming: undefined });
    card?.focus({ preventScroll: true });
  };
  return (
    <input
      ref={field}
      className="card-title-field nodrag nopan"
      data-testid={`rename-${id}`}
      aria-label={label}
      defaultValue={title}
      placeholder={placeholder}
      maxLength={120}
      onBlur={() => settle(true)}
      onKeyDown={(event) => {
        keepOwnKeys(event);
        if (isComposing(event)) return;
        if (event.key === "Enter") settle(true);
        if (event.key === "Escape") settle(false);
      }}
    />
  );
}

/** With Shift one selects text there; to the canvas it would mean selecting nodes. */
const OWN_KEYS = ["Enter", "Escape", "Shift"];

/** Keeps the keys of a text field on a card. All others go on to the window: Save and Stop work while one writes. */
export function keepOwnKeys(event: KeyboardEvent): void {
  // With Ctrl or ⌘, Enter runs the flow.
  const isShortcut = event.ctrlKey || event.metaKey;
  if (!isShortcut && OWN_KEYS.includes(event.key)) event.stopPropagation();
}
