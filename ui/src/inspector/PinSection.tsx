import { Pin as PinIcon } from "lucide-react";
import type { Node, NodeId, Pin } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { Switch } from "@/design/controls/Switch";
import { declaredPorts } from "@/flow/connect/ports";
import { displayedFlow } from "@/flow/document/flow-state";
import { changePin, emptyValue, pinnable } from "@/flow/edits/pins";
import { useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";
import { useNodeView } from "@/workspace/run-hooks";
import { pinToSet } from "@/workspace/values/pin-to-set";
import { textOf, ValueField } from "@/workspace/values/ValueField";
import { TEXTS } from "./texts";

type Props = { nodeId: NodeId; node: Node; readOnly: boolean };

/** What the node delivers in place of being executed. */
export function PinSection({ nodeId, node, readOnly }: Props) {
  const workspace = useWorkspace();
  // A run that goes on may give what can be pinned.
  useNodeView(nodeId);
  useNodeTypes((types) => types);
  const { pin } = node;
  const next = pin ?? pinToSet(workspace, nodeId);
  if (readOnly && !pin) return null;
  return (
    <section className="my-3" aria-label={TEXTS.pinOutput} data-testid="pin">
      <div className="flex items-center gap-2">
        <PinIcon size={13} aria-hidden className={`shrink-0 ${pin ? "text-info" : "text-fg-3"}`} />
        <span className="min-w-0 flex-1 truncate text-sm">{TEXTS.pinOutput}</span>
        <Switch
          label={TEXTS.pinOutput}
          checked={pin !== undefined}
          disabled={readOnly || next === undefined}
          onChange={(on) => workspace.editor.pin(nodeId, on ? next : undefined)}
        />
      </div>
      {next ? null : <p className="mt-1 text-fg-3 text-xs">{TEXTS.pinNothing}</p>}
      {pin ? <Values nodeId={nodeId} pin={pin} readOnly={readOnly} /> : null}
    </section>
  );
}

function Values({ nodeId, pin, readOnly }: { nodeId: NodeId; pin: Pin; readOnly: boolean }) {
  const { editor, nodeTypes } = useWorkspace();
  const ports = useFlow((state) => declaredPorts(nodeTypes.all, displayedFlow(state), state.checked, nodeId));
  const missing = ports ? pinnable(ports).filter((port) => !(port.name in pin.outputs)) : [];
  const change = (port: string, value: { value: unknown } | undefined) => {
    editor.pin(nodeId, changePin(pin, port, value));
    return undefined;
  };
  return (
    <div className="mt-1.5">
      <p className="mb-1.5 text-fg-3 text-xs">
        {TEXTS.pinHint} {pin.run ? TEXTS.pinFromRun(pin.run) : null}
      </p>
      {Object.entries(pin.outputs).map(([port, value]) => (
        <ValueField
          // A value that was changed elsewhere, or by undo, is shown as it is now.
          key={`${port} ${textOf(value)}`}
          port={port}
          value={value}
          stacked
          readOnly={readOnly}
          onChange={(changed) => change(port, { value: changed })}
        >
          {Object.keys(pin.outputs).length > 1 ? (
            <Button kind="quiet" aria-label={TEXTS.removeFromPinOf(port)} onClick={() => change(port, undefined)}>
              {TEXTS.removeFromPin}
            </Button>
          ) : null}
        </ValueField>
      ))}
      {readOnly || missing.length === 0 ? null : (
        <div className="flex flex-wrap gap-2">
          {missing.map((port) => (
            <Button key={port.name} kind="quiet" onClick={() => change(port.name, { value: emptyValue(port) })}>
              {TEXTS.addToPin(port.name)}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}
