import {
  AlignCenterHorizontal,
  AlignCenterVertical,
  AlignEndHorizontal,
  AlignEndVertical,
  AlignHorizontalDistributeCenter,
  AlignStartHorizontal,
  AlignStartVertical,
  AlignVerticalDistributeCenter,
} from "lucide-react";
import type { ReactNode } from "react";
import { Button, IconButton } from "@/design/controls/Button";
import { useCommands, useFlow } from "@/workspace/context";
import { ColorRow } from "./ColorRow";
import { TEXTS } from "./texts";

const ALIGN: { id: string; icon: ReactNode }[] = [
  { id: "arrange.left", icon: <AlignStartVertical size={16} /> },
  { id: "arrange.center", icon: <AlignCenterVertical size={16} /> },
  { id: "arrange.right", icon: <AlignEndVertical size={16} /> },
  { id: "arrange.top", icon: <AlignStartHorizontal size={16} /> },
  { id: "arrange.middle", icon: <AlignCenterHorizontal size={16} /> },
  { id: "arrange.bottom", icon: <AlignEndHorizontal size={16} /> },
];
const DISTRIBUTE: typeof ALIGN = [
  { id: "arrange.horizontal", icon: <AlignHorizontalDistributeCenter size={16} /> },
  { id: "arrange.vertical", icon: <AlignVerticalDistributeCenter size={16} /> },
];
const NONE: ReadonlySet<string> = new Set();
const OTHER_COMMANDS = ["arrange.tidy", "edit.duplicate", "edit.copy", "edit.delete"];

/** Several nodes or edges: how many, and what can be done with all of them. */
export function SeveralInspector() {
  const commands = useCommands();
  const selected = useFlow((state) => state.selection.nodes);
  const nodes = selected.size;
  const edges = useFlow((state) => state.selection.edges.size);
  const frames = useFlow((state) => state.selection.frames) ?? NONE;
  const readOnly = useFlow((state) => state.viewing !== undefined);
  const counts = [
    nodes > 0 && `${nodes} ${nodes === 1 ? "node" : "nodes"}`,
    edges > 0 && `${edges} ${edges === 1 ? "edge" : "edges"}`,
    frames.size > 0 && `${frames.size} ${frames.size === 1 ? "frame" : "frames"}`,
  ];
  return (
    <div className="flex h-full flex-col">
      <header className="shrink-0 border-line border-b px-3 py-2.5">
        <h2 className="font-semibold" data-testid="selection-count">
          {counts.filter(Boolean).join(" and ")}
        </h2>
        <p className="text-fg-3 text-xs">selected</p>
      </header>
      <div className="flex flex-col gap-3 px-3 py-3">
        {nodes + frames.size > 0 ? <ColorRow nodes={[...selected]} frames={[...frames]} readOnly={readOnly} /> : null}
        {nodes > 1 ? (
          <fieldset>
            <legend className="mb-1 font-medium text-sm">{TEXTS.align}</legend>
            <Row items={ALIGN} disabled={readOnly} />
          </fieldset>
        ) : null}
        {nodes > 2 ? (
          <fieldset>
            <legend className="mb-1 font-medium text-sm">{TEXTS.distribute}</legend>
            <Row items={DISTRIBUTE} disabled={readOnly} />
          </fieldset>
        ) : null}
        <div className="flex flex-wrap gap-2">
          {OTHER_COMMANDS.map((id) => commands.get(id))
            .filter((one) => commands.isEnabled(one))
            .map((one) => (
              <Button key={one.id} disabled={readOnly && one.id !== "edit.copy"} onClick={() => commands.run(one)}>
                {one.title}
              </Button>
            ))}
        </div>
      </div>
    </div>
  );
}

function Row({ items, disabled }: { items: typeof ALIGN; disabled: boolean }) {
  const commands = useCommands();
  return (
    <div className="flex gap-1">
      {items.map(({ id, icon }) => {
        const { title, keys } = commands.get(id);
        return (
          <IconButton
            key={id}
            kind="plain"
            label={title}
            keys={keys?.[0]}
            icon={icon}
            disabled={disabled}
            data-testid={id}
            onClick={() => commands.run(id)}
          />
        );
      })}
    </div>
  );
}
