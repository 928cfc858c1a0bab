import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { isComposing } from "@/design/keys/keys";
import { useLayout, useWorkspace } from "@/workspace/context";
import type { Part } from "@/workspace/window/layout";

const PLACES: Record<Part, string> = {
  left: "inset-y-0 left-0 w-[min(260px,80%)] border-r",
  right: "inset-y-0 right-0 w-[min(340px,90%)] border-l",
  dock: "inset-x-0 bottom-0 h-[min(300px,75%)] border-t",
};
/** The dock ends where the inspector begins. */
const BESIDE_INSPECTOR = "right-[min(340px,90%)]";

/** What keeps Escape for itself. */
const OWN_ESCAPE = "[role=dialog], [role=alertdialog], [role=menu], [data-own-keys], input, textarea, .cm-editor";

type Props = { part: Part; label: string; children: ReactNode };

/** A part of the window over the canvas, which keeps its width. Escape closes it, and gives the focus back. */
export function FloatingPart({ part, label, children }: Props) {
  const open = useLayout((layout) => layout.open[part]);
  return open ? (
    <Floating part={part} label={label}>
      {children}
    </Floating>
  ) : null;
}

function Floating({ part, label, children }: Props) {
  const { layout } = useWorkspace();
  const box = useRef<HTMLElement>(null);
  const isBesideInspector = useLayout((state) => part === "dock" && state.open.right);
  const opener = useRef(document.activeElement);
  useEffect(() => {
    // Before the window's shortcuts, for which Escape is something else.
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      const on = event.target instanceof Element ? event.target : document.body;
      if (event.key !== "Escape" || box.current?.contains(on) || on.closest(OWN_ESCAPE)) return;
      event.preventDefault();
      layout.setOpen(part, false);
    };
    // The left panel is for a moment; the others stay while one works on the canvas beside them.
    const onPointerDown = ({ target }: PointerEvent) => {
      if (part !== "left" || !(target instanceof Element) || box.current?.contains(target)) return;
      if (target.closest("[data-shell]") && !target.closest("nav")) layout.setOpen(part, false);
    };
    document.addEventListener("keydown", onKeyDown, { capture: true });
    document.addEventListener("pointerdown", onPointerDown, { capture: true });
    return () => {
      document.removeEventListener("keydown", onKeyDown, { capture: true });
      document.removeEventListener("pointerdown", onPointerDown, { capture: true });
    };
  }, [part, layout]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || isComposing(event)) return;
    event.preventDefault();
    layout.setOpen(part, false);
    if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
  };
  return (
    <section
      ref={box}
      aria-label={label}
      data-testid={`floating-${part}`}
      data-floating={part}
      className={`absolute z-30 overflow-hidden border-line bg-bg-1 shadow-pop ${PLACES[part]} ${isBesideInspector ? BESIDE_INSPECTOR : ""}`}
      onKeyDown={onKeyDown}
    >
      {children}
    </section>
  );
}
