import { Tooltip } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";
import { Keys } from "./Keys";

type Props = {
  label: ReactNode;
  keys?: string;
  side?: "top" | "bottom" | "left" | "right";
  children: ReactElement<Record<string, unknown>>;
};

/** A tooltip over one element. It only repeats what the element's accessible name says already. */
export function Tip({ label, keys, side = "bottom", children }: Props) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner side={side} sideOffset={6} className="z-[60]">
          <Tooltip.Popup className="flex max-w-[320px] items-center gap-2 rounded-md border border-line bg-bg-1 px-2 py-1 text-fg text-xs shadow-pop">
            {label}
            {keys ? <Keys keys={keys} /> : null}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
