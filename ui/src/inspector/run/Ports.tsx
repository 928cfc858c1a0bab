import { Pin } from "lucide-react";
import type { LineageSpot, NodeId, RunId } from "@/bindings";
import { declaredPorts } from "@/flow/connect/ports";
import { displayedFlow } from "@/flow/document/flow-state";
import type { EpochView } from "@/run/fold/types";
import type { ShownRun } from "@/run/live/past-run";
import { type InputValue, inputsOf } from "@/run/values/inputs";
import { outputsOf } from "@/run/values/outputs";
import { CopyButton } from "@/run/values/ValueView";
import { AttachedValue } from "@/workspace/attachments/AttachedValue";
import { useWorkspace } from "@/workspace/context";
import type { Workspace } from "@/workspace/workspace";
import { Box, Section } from "./Section";
import { SourceLink } from "./SourceLink";
import { FollowButton, Traceable } from "./Traceable";
import { TEXTS } from "./texts";

/** The values on its inputs, each with where it came from. */
export function Inputs({ run, node, view }: { run: ShownRun; node: NodeId; view: EpochView }) {
  const inputs = inputsOf({ nodes: run.fold.nodes, head: run.fold.head }, node, view);
  return (
    <Section title={TEXTS.inputs}>
      {inputs.length === 0 ? <p className="text-fg-3 text-sm">{TEXTS.noInputs}</p> : null}
      {inputs.map((input) => (
        <Box
          key={input.port}
          testid={`io-input-${input.port}`}
          head={
            <>
              <PortName node={node} side="inputs" port={input.port} />
              <span className="flex-1" />
              {input.values.length === 1 && input.values[0]?.known ? (
                <FollowButton
                  run={run.run}
                  spot={{ kind: "input", node, epoch: view.epoch, port: input.port, index: 0 }}
                  label={TEXTS.followInput(input.port)}
                />
              ) : null}
              <CopyButton
                value={input.values.length === 1 ? input.values[0]?.value : input.values.map((one) => one.value)}
                label={TEXTS.copyInput(input.port)}
              />
            </>
          }
        >
          {input.values.map((one, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a port's values have no identity but their order.
            <div key={index} className={index > 0 ? "mt-1.5 border-line border-t pt-1.5" : ""}>
              <InputValueView
                value={one}
                run={run.run}
                spot={{ kind: "input", node, epoch: view.epoch, port: input.port, index }}
                port={input.port}
              />
            </div>
          ))}
        </Box>
      ))}
    </Section>
  );
}

type InputProps = { value: InputValue; run: RunId; spot: LineageSpot; port: string };

function InputValueView({ value, run, spot, port }: InputProps) {
  const { source } = value;
  return (
    <>
      {value.known ? (
        <Traceable run={run} spot={spot} value={value.value}>
          <AttachedValue value={value.value} label={TEXTS.input(port)} />
        </Traceable>
      ) : (
        <p className="text-fg-3 text-sm">{TEXTS.unknown}</p>
      )}
      {source ? <SourceLink source={source} /> : <p className="mt-0.5 text-fg-3 text-xs">{TEXTS.setWhenRunStarted}</p>}
    </>
  );
}

/** The values on its outputs; the ones that were not taken are named. */
export function Outputs({ run, node, view }: { run: ShownRun; node: NodeId; view: EpochView }) {
  const outputs = Object.entries(outputsOf(node, view));
  const declared = portsOf(useWorkspace(), node)?.outputs ?? [];
  const over = view.endedAt !== undefined;
  const dead = over ? declared.filter((port) => !outputs.some(([name]) => name === port.name)) : [];
  return (
    <Section title={TEXTS.outputs} trailing={view.metadata?.pinned ? <Pinned /> : undefined}>
      {outputs.length === 0 ? <p className="text-fg-3 text-sm">{over ? TEXTS.noOutputs : TEXTS.noOutputsYet}</p> : null}
      {outputs.map(([port, value]) => (
        <Box
          key={port}
          testid={`io-output-${port}`}
          head={
            <>
              <PortName node={node} side="outputs" port={port} />
              {view.messages[port] ? (
                <span className="truncate" title={TEXTS.message(view.messages[port])}>
                  {TEXTS.messageContext}
                </span>
              ) : null}
              <span className="flex-1" />
              <FollowButton
                run={run.run}
                spot={{ kind: "output", node, epoch: view.epoch, port }}
                label={TEXTS.followOutput(port)}
              />
              <CopyButton value={value} label={TEXTS.copyOutput(port)} />
            </>
          }
        >
          <Traceable run={run.run} spot={{ kind: "output", node, epoch: view.epoch, port }} value={value}>
            <AttachedValue value={value} label={TEXTS.output(port)} />
          </Traceable>
        </Box>
      ))}
      {dead.length > 0 && outputs.length > 0 ? (
        <p className="text-fg-3 text-xs">{TEXTS.noValue(dead.map((port) => port.name).join(", "))}</p>
      ) : null}
    </Section>
  );
}

/** Says that the values are those of a pin. */
function Pinned() {
  return (
    <span
      className="inline-flex items-center gap-1 font-semibold text-info"
      title={TEXTS.pinnedHint}
      data-testid="io-pinned"
    >
      <Pin size={12} aria-hidden />
      {TEXTS.pinned}
    </span>
  );
}

function portsOf({ editor, nodeTypes }: Workspace, node: NodeId) {
  const { state } = editor;
  return declaredPorts(nodeTypes.all, displayedFlow(state), state.checked, node);
}

const STRANDS = { context: "bg-context", data: "bg-data", tools: "bg-tools" };

function PortName({ node, side, port }: { node: NodeId; side: "inputs" | "outputs"; port: string }) {
  const kind = portsOf(useWorkspace(), node)?.[side].find((one) => one.name === port)?.kind ?? "data";
  return (
    <>
      <i
        aria-hidden
        className={`size-2 shrink-0 ${kind === "tools" ? "rounded-[2px]" : "rounded-full"} ${STRANDS[kind]}`}
      />
      <b className="font-semibold text-fg-2">{port}</b>
    </>
  );
}
