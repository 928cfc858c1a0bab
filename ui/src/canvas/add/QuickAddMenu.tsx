import { useCallback, useEffect, useRef } from "react";
import type { NodeDescriptor } from "@/bindings";
import { loopAt } from "@/canvas/move/drop";
import { focusNewNode, focusNode } from "@/canvas/select/keyboard-navigation";
import { TEXTS } from "@/canvas/texts";
import { MenuGroup, MenuItem, MenuList } from "@/design/controls/Menu";
import { TypeBadge } from "@/design/icons/Icon";
import { fittingPort, templateField } from "@/flow/connect/connection";
import { PALETTE_SECTIONS } from "@/flow/node-types/node-types";
import type { Pulled, QuickAdd } from "@/workspace/canvas-store";
import { useCanvas, useNodeTypes, useWorkspace } from "@/workspace/context";
import { addNodeFor } from "./add-node";

const SIZE = { width: 264, height: 320 };

/** Shown where an edge was dropped on empty canvas: the compatible node types. Choosing one adds and connects a node. */
export function QuickAddMenu() {
  const quickAdd = useCanvas((state) => state.quickAdd);
  return quickAdd ? <Open {...quickAdd} /> : null;
}

function Open({ pulled, at, place }: QuickAdd) {
  const workspace = useWorkspace();
  const { canvas } = workspace;
  const types = useNodeTypes((known) => known.list);
  const close = useCallback(() => canvas.set({ quickAdd: undefined }), [canvas]);
  const menu = useRef<HTMLDivElement>(null);
  const choices = types.flatMap((type) => choicesFor(type, pulled));
  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (!menu.current?.contains(event.target as Element)) close();
    };
    document.addEventListener("pointerdown", outside, true);
    return () => document.removeEventListener("pointerdown", outside, true);
  }, [close]);
  const left = Math.min(at.x, window.innerWidth - SIZE.width - 8);
  const top = Math.min(at.y, window.innerHeight - SIZE.height - 8);
  return (
    <div
      ref={menu}
      role="dialog"
      aria-label={TEXTS.addNodeConnected(pulled.end.port)}
      data-testid="quick-add"
      className="pop fixed z-40"
      style={{ left, top, width: SIZE.width }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
        focusNode(pulled.end.node);
      }}
    >
      <MenuList
        label={TEXTS.compatibleNodeTypes}
        placeholder={pulled.end.side === "out" ? TEXTS.whatTakes(pulled.end.port) : TEXTS.whatGives(pulled.end.port)}
        empty={TEXTS.noMatches}
      >
        {PALETTE_SECTIONS.map((category) => {
          const group = choices.filter(({ type }) => type.category === category.id);
          return group.length === 0 ? null : (
            <MenuGroup key={category.id} heading={category.title}>
              {group.map(({ type, title, templated }) => (
                <MenuItem
                  key={title}
                  value={title}
                  terms={[...type.terms, type.summary]}
                  testId={`quick-add-${type.type}${templated && title !== type.title ? "-template" : ""}`}
                  onChoose={() => {
                    const id = addNodeFor(workspace, pulled, type.type, place, {
                      loop: loopAt(workspace, place),
                      templated,
                    });
                    close();
                    if (id !== undefined) focusNewNode(workspace, id);
                  }}
                >
                  <TypeBadge type={type} />
                  <span className="truncate">{title}</span>
                </MenuItem>
              ))}
            </MenuGroup>
          );
        })}
      </MenuList>
    </div>
  );
}

type Choice = { type: NodeDescriptor; title: string; templated: boolean };

/** A node type by the port that fits, by the variable of a template, or both. */
function choicesFor(type: NodeDescriptor, { kind, type: valueType, end }: Pulled): Choice[] {
  const fits = fittingPort(type, kind, valueType, end.side) !== undefined;
  const takesTemplate = templateField(type, kind, end.side) !== undefined;
  if (!fits) return takesTemplate ? [{ type, title: type.title, templated: true }] : [];
  const own = { type, title: type.title, templated: false };
  return takesTemplate ? [own, { type, title: TEXTS.withTemplate(type.title), templated: true }] : [own];
}
