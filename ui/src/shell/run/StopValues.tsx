import type { PortName, StopView } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";
import { textOf, ValueField } from "@/workspace/values/ValueField";

/** The values that a stop holds, each of which can be changed before it goes on, and the ways that can be taken instead. */
export function StopValues({ stop }: { stop: StopView }) {
  const { runs } = useWorkspace();
  return (
    <div className="max-h-56 w-full overflow-y-auto" data-testid="stop-values">
      {Object.entries(stop.values).map(([port, value]) => (
        // A value that was changed elsewhere is shown as it is now.
        <ValueField
          key={`${stop.number} ${port} ${textOf(value)}`}
          port={port}
          value={value}
          onChange={(changed) => runs.debugger.change(port, changed)}
        />
      ))}
      {stop.ways ? <OtherWays ways={stop.ways} /> : null}
    </div>
  );
}

/** The outputs that a switch, or the like, did not take. */
function OtherWays({ ways }: { ways: readonly PortName[] }) {
  const { runs } = useWorkspace();
  return (
    <div className="flex items-center gap-2">
      <span className="w-28 shrink-0 truncate text-right text-fg-2 text-xs">{TEXTS.otherWays}</span>
      {ways.map((way) => (
        <Button key={way} onClick={() => void runs.debugger.force(way)}>
          {TEXTS.takeWay(way)}
        </Button>
      ))}
    </div>
  );
}
