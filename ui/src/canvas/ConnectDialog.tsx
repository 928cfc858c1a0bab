import { Dialog } from "@base-ui/react/dialog";
import { Unplug } from "lucide-react";
import { useState } from "react";
import type { NodeId } from "@/bindings";
import { MenuGroup, MenuItem, MenuList } from "@/design/Menu";
import { TypeBadge } from "@/design/TypeBadge";
import { connect, removeItems } from "@/flow/actions";
import { edgeBetween, fittingPort, partners } from "@/flow/connection";
import { nodeType, useNodeTypes } from "@/flow/node-types";
import { declaredPorts, type End } from "@/flow/ports";
import { flowStore, useFlow } from "@/flow/store";
import { addNodeFor } from "./add-node";
import { canvasStore, useCanvas } from "./canvas-store";
import { CARD_WIDTH } from "./geometry";
import { nodeElement } from "./keyboard-navigation";
import { pulledFrom } from "./pulled-ends";

/** Making and taking away a node's connections from the keyboard: first its port, then what it is connected to. */
export function ConnectDialog() {
  const node = useCanvas((state) => state.connecting);
  return (
    <Dialog.Root open={node !== undefined} onOpenChange={(open) => !open && close(node)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/20" />
        <Dialog.Popup
          className="pop fixed top-[18%] left-1/2 z-40 w-[440px] -translate-x-1/2"
          data-testid="connect-dialog"
          finalFocus={afterwards}
        >
          {node === undefined ? null : <Connect key={node} node={node} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The node that gets the keyboard once the dialog has closed. */
let next: NodeId | undefined;

function close(node: NodeId | undefined): void {
  next = node;
  canvasStore.setState({ connecting: undefined });
}

function afterwards(): HTMLElement | undefined {
  return next === undefined ? undefined : nodeElement(next);
}

function Connect({ node }: { node: NodeId }) {
  const [end, setEnd] = useState<End>();
  return end ? <Partners end={end} /> : <PortsOf node={node} choose={setEnd} />;
}

function PortsOf({ node, choose }: { node: NodeId; choose: (end: End) => void }) {
  const flow = useFlow((state) => state.flow);
  const checked = useFlow((state) => state.checked);
  const ports = declaredPorts(flow, checked, node);
  const name = nameOf(node);
  const edges = Object.entries(flow.edges).filter(([, edge]) => edge.source === node || edge.target === node);
  const groups = [
    { heading: "Outputs", side: "out" as const, ports: ports?.outputs ?? [] },
    { heading: "Inputs", side: "in" as const, ports: ports?.inputs ?? [] },
  ];
  return (
    <>
      <Dialog.Title className="px-3 pt-2.5 font-semibold">Connect “{name}”</Dialog.Title>
      <MenuList label={`Ports of ${name}`} placeholder="Search ports" empty="No matches">
        {groups.map((group) =>
          group.ports.length === 0 ? null : (
            <MenuGroup key={group.side} heading={group.heading}>
              {group.ports.map((port) => (
                <MenuItem
                  key={port.name}
                  value={`${port.name} ${group.side === "out" ? "output" : "input"}`}
                  testId={`connect-port-${group.side}-${port.name}`}
                  onChoose={() => choose({ node, side: group.side, port: port.name })}
                >
                  <PortMark kind={port.kind} />
                  <span>{port.name}</span>
                  <span className="ml-auto truncate pl-3 text-fg-3 text-xs">{port.description}</span>
                </MenuItem>
              ))}
            </MenuGroup>
          ),
        )}
        {edges.length > 0 ? (
          <MenuGroup heading="Disconnect">
            {edges.map(([id, edge]) => (
              <MenuItem
                key={id}
                value={`disconnect ${id}`}
                onChoose={() => {
                  removeItems({ edges: [id] });
                  close(node);
                }}
              >
                <Unplug size={14} aria-hidden className="text-fg-3" />
                <span className="truncate">
                  {nameOf(edge.source)} {edge.sourceOutput} → {nameOf(edge.target)} {edge.targetInput}
                </span>
              </MenuItem>
            ))}
          </MenuGroup>
        ) : null}
      </MenuList>
    </>
  );
}

function Partners({ end }: { end: End }) {
  const flow = useFlow((state) => state.flow);
  const checked = useFlow((state) => state.checked);
  const types = useNodeTypes((known) => known.list);
  const pulled = pulledFrom(end);
  if (!pulled) return null;
  const there = partners(flow, checked, end);
  const fresh = types.filter((type) => fittingPort(type, pulled.kind, pulled.type, end.side));
  const preposition = end.side === "out" ? "to" : "from";
  return (
    <>
      <Dialog.Title className="px-3 pt-2.5 font-semibold">
        Connect “{end.port}” {preposition}
      </Dialog.Title>
      <MenuList label={`Connect ${end.port}`} placeholder="Search nodes" empty="No matches">
        {there.length > 0 ? (
          <MenuGroup heading="In this flow">
            {there.map((other) => (
              <MenuItem
                key={`${other.node} ${other.port}`}
                value={`${nameOf(other.node)} ${other.port} (${other.node})`}
                testId={`connect-to-${other.node}-${other.port}`}
                onChoose={() => {
                  const edge = edgeBetween(end, other);
                  if (edge) connect(edge);
                  close(end.node);
                }}
              >
                <PortMark kind={pulled.kind} />
                <span className="truncate">{nameOf(other.node)}</span>
                <span className="text-fg-3">{other.port}</span>
              </MenuItem>
            ))}
          </MenuGroup>
        ) : null}
        <MenuGroup heading="New node">
          {fresh.map((type) => (
            <MenuItem
              key={type.type}
              value={`New ${type.title}`}
              terms={type.terms}
              testId={`connect-new-${type.type}`}
              onChoose={() => close(addNodeFor(pulled, type.type, beside(end)) ?? end.node)}
            >
              <TypeBadge type={type} />
              <span>{type.title}</span>
            </MenuItem>
          ))}
        </MenuGroup>
      </MenuList>
    </>
  );
}

/** Where a new node connected to this end goes: next to it, below what was put there before. */
function beside(end: End) {
  const { flow } = flowStore.getState();
  const at = flow.layout[end.node] ?? { x: 0, y: 0 };
  const x = end.side === "out" ? at.x + CARD_WIDTH + 90 : at.x - 90;
  let y = at.y + 37;
  const left = end.side === "out" ? x : x - CARD_WIDTH;
  while (Object.values(flow.layout).some((other) => Math.abs(other.x - left) < 180 && Math.abs(other.y - y + 37) < 90))
    y += 110;
  return { x, y };
}

function nameOf(node: NodeId): string {
  const { flow } = flowStore.getState();
  const found = flow.nodes[node];
  return found?.title ?? (found ? nodeType(found.type)?.title : undefined) ?? node;
}

function PortMark({ kind }: { kind: string }) {
  return <i className="port-mark" data-kind={kind} aria-hidden />;
}
