import { Tooltip as BaseTooltip } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";
import { Keys } from "@/design/keys/Keys";

type Props = {
  label: ReactNode;
  keys?: string;
  side?: "top" | "bottom" | "left" | "right";
  children: ReactElement<Record<string, unknown>>;
};

/** A tooltip over one element. It only repeats what the element's accessible name says already. */
export function Tooltip({ label, keys, side = "bottom", children }: Props) {
  return (
    <BaseTooltip.Root>
      <BaseTooltip.Trigger render={children} />
      <BaseTooltip.Portal>
        <BaseTooltip.Positioner side={side} sideOffset={6} className="z-[60]">
          <BaseTooltip.Popup className="flex max-w-[320px] items-center gap-2 rounded-md border border-line bg-bg-1 px-2 py-1 text-fg text-xs shadow-pop">
            {label}
            {keys ? <Keys keys={keys} /> : null}
          </BaseTooltip.Popup>
        </BaseTooltip.Positioner>
      </BaseTooltip.Portal>
    </BaseTooltip.Root>
  );
}
