/** Pins: what nodes deliver in place of being executed. */
import type { Flow, NodeId, OutputPort, Pin, PortName, Ports, PortType, RunId } from "@/bindings";
import { ERROR_PORT } from "@/bindings/constants";
import { setNode } from "./edits";

/** Where the values of a pin were taken from. */
export type PinSource = { run: RunId; origins: readonly string[] };

const EMPTY_VALUES: Record<PortType, unknown> = {
  any: "",
  text: "",
  number: 0,
  boolean: false,
  list: [],
  object: {},
};

/** Pins a node, or takes its pin off. */
export function setPin(flow: Flow, id: NodeId, pin: Pin | undefined): Flow {
  return flow.nodes[id]?.pin === pin ? flow : setNode(flow, id, { pin });
}

/** A pin of the values that a run gave, or nothing if none of them can be pinned. */
export function pinOfRun(
  ports: Ports,
  values: Record<PortName, unknown>,
  { run, origins }: PinSource,
): Pin | undefined {
  const contexts = ports.outputs.filter((port) => port.kind === "context");
  const outputs: Record<PortName, unknown> = {};
  for (const port of ports.outputs) {
    if (!(port.name in values) || port.kind === "tools") continue;
    if (port.kind === "data") outputs[port.name] = values[port.name];
    // The only one hands on its context anyway. Of several, the one is named that was taken.
    else if (contexts.length > 1) outputs[port.name] = {};
  }
  if (Object.keys(outputs).length === 0) return undefined;
  return { outputs, run, ...(origins.length > 0 ? { origins: [...origins] } : {}) };
}

/** A pin to be filled in: an empty value on the first output. Nothing if the node outputs no value. */
export function emptyPin(ports: Ports): Pin | undefined {
  const first = pinnable(ports)[0];
  return first && { outputs: { [first.name]: EMPTY_VALUES[first.type] } };
}

/** The outputs whose values a person can write. */
export function pinnable(ports: Ports): OutputPort[] {
  return ports.outputs.filter((port) => port.kind === "data" && port.name !== ERROR_PORT);
}

/** The pin with another value on an output; without one, the output delivers nothing. What it is now comes from a person as well. */
export function changePin(pin: Pin, port: PortName, change: { value: unknown } | undefined): Pin {
  const { run: _, ...rest } = pin;
  const { [port]: __, ...others } = pin.outputs;
  return { ...rest, outputs: change ? { ...others, [port]: change.value } : others };
}

/** The value that an output gets first when it is added to a pin. */
export const emptyValue = (port: OutputPort): unknown => EMPTY_VALUES[port.type];
