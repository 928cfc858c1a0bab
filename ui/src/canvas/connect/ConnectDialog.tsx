import { Unplug } from "lucide-react";
import { useRef, useState } from "react";
import type { Edge, EdgeId, Flow, NodeId, PortName } from "@/bindings";
import { addNodeFor } from "@/canvas/add/add-node";
import { pulledFrom } from "@/canvas/elements/pulled-ends";
import { CARD_WIDTH, portY } from "@/canvas/measure/geometry";
import { focusNewNode, nodeElement } from "@/canvas/select/keyboard-navigation";
import { TEXTS } from "@/canvas/texts";
import { MenuGroup, MenuItem, MenuList, useMenuSearch } from "@/design/controls/Menu";
import { Dialog, DialogTitle } from "@/design/dialogs/Dialog";
import { TypeBadge } from "@/design/icons/Icon";
import { InlineCode } from "@/design/text/InlineCode";
import { edgeBetween, fittingPort, partners } from "@/flow/connect/connection";
import { declaredPorts, type End } from "@/flow/connect/ports";
import { BODY_INSET } from "@/flow/containers/container-box";
import { containerOf, cornerOf } from "@/flow/containers/containers";
import { useCanvas, useFlow, useNodeTypes, useWorkspace } from "@/workspace/context";

/** Making and taking away a node's connections from the keyboard: first its port, then what it is connected to. */
export function ConnectDialog() {
  const { canvas } = useWorkspace();
  const node = useCanvas((state) => state.connecting);
  /** The node that gets the keyboard once the dialog has closed. */
  const next = useRef<NodeId>(undefined);
  const close = (focus: NodeId | undefined) => {
    next.current = focus;
    canvas.set({ connecting: undefined });
  };
  return (
    <Dialog
      open={node !== undefined}
      onClose={() => close(node)}
      place="list"
      testId="connect-dialog"
      className="w-[440px]"
      finalFocus={() => (next.current === undefined ? undefined : nodeElement(next.current))}
    >
      {node === undefined ? null : <Connect key={node} node={node} close={close} />}
    </Dialog>
  );
}

/** Closes the dialog and focuses a node. */
type Close = (focus: NodeId) => void;

function Connect({ node, close }: { node: NodeId; close: Close }) {
  const [end, setEnd] = useState<End>();
  const [disconnecting, setDisconnecting] = useState(false);
  if (disconnecting) return <Connections node={node} close={close} />;
  if (end) return <Partners end={end} close={close} />;
  return <PortsOf node={node} choose={setEnd} close={close} onDisconnect={() => setDisconnecting(true)} />;
}

/** The edges of a node. A list of its own, so that Enter in the list of ports never removes one. */
function Connections({ node, close }: { node: NodeId; close: Close }) {
  const { editor, nodeNames } = useWorkspace();
  const flow = useFlow((state) => state.flow);
  const name = nodeNames.nameOf(node);
  return (
    <>
      <DialogTitle className="px-3 pt-2.5 font-semibold">{TEXTS.disconnectNode(name)}</DialogTitle>
      <MenuList label={TEXTS.connectionsOf(name)} placeholder={TEXTS.searchConnections} empty={TEXTS.noMatches}>
        <MenuGroup heading={TEXTS.disconnect}>
          {edgesOf(flow, node).map(([id, edge]) => (
            <MenuItem
              key={id}
              value={`${nodeNames.nameOf(edge.source)} ${edge.sourceOutput} ${nodeNames.nameOf(edge.target)} ${edge.targetInput} ${id}`}
              testId={`disconnect-${id}`}
              onChoose={() => {
                editor.removeItems({ edges: [id] });
                close(node);
              }}
            >
              <Unplug size={14} aria-hidden className="text-fg-3" />
              <span className="truncate">
                {nodeNames.nameOf(edge.source)} {edge.sourceOutput} → {nodeNames.nameOf(edge.target)} {edge.targetInput}
              </span>
            </MenuItem>
          ))}
        </MenuGroup>
      </MenuList>
    </>
  );
}

function edgesOf(flow: Flow, node: NodeId): [EdgeId, Edge][] {
  return Object.entries(flow.edges).filter(([, edge]) => edge.source === node || edge.target === node);
}

type PortsProps = { node: NodeId; choose: (end: End) => void; close: Close; onDisconnect: () => void };

function PortsOf({ node, choose, close, onDisconnect }: PortsProps) {
  const { nodeNames } = useWorkspace();
  const types = useNodeTypes((all) => all);
  const flow = useFlow((state) => state.flow);
  const checked = useFlow((state) => state.checked);
  const ports = declaredPorts(types, flow, checked, node);
  const name = nodeNames.nameOf(node);
  const edges = edgesOf(flow, node);
  const [first] = ports?.outputs ?? [];
  const groups = [
    { heading: TEXTS.outputs, side: "out" as const, ports: ports?.outputs ?? [] },
    { heading: TEXTS.inputs, side: "in" as const, ports: ports?.inputs ?? [] },
    { heading: TEXTS.outputsToBody, side: "out" as const, inner: true, ports: ports?.innerOutputs ?? [] },
    { heading: TEXTS.inputsFromBody, side: "in" as const, inner: true, ports: ports?.innerInputs ?? [] },
  ];
  return (
    <>
      <DialogTitle className="px-3 pt-2.5 font-semibold">{TEXTS.connectNode(name)}</DialogTitle>
      <MenuList label={TEXTS.portsOf(name)} placeholder={TEXTS.searchPorts} empty={TEXTS.noMatches}>
        {groups.map((group) =>
          group.ports.length === 0 ? null : (
            <MenuGroup key={group.heading} heading={group.heading}>
              {group.ports.map((port) => (
                <MenuItem
                  key={port.name}
                  value={`${port.name} ${group.heading}`}
                  testId={`connect-port-${group.inner ? "inner-" : ""}${group.side}-${port.name}`}
                  onChoose={() => choose({ node, side: group.side, port: port.name, inner: group.inner })}
                >
                  <PortMark kind={port.kind} />
                  <span>{port.name}</span>
                  <span className="ml-auto truncate pl-3 text-fg-3 text-xs">
                    <InlineCode text={port.description} />
                  </span>
                </MenuItem>
              ))}
            </MenuGroup>
          ),
        )}
        {first ? <PartnersOfFirstOutput end={{ node, side: "out", port: first.name }} close={close} /> : null}
        {edges.length > 0 ? (
          <MenuGroup heading={TEXTS.connections}>
            <MenuItem value={TEXTS.disconnectMenu} testId="connect-disconnect" onChoose={onDisconnect}>
              <Unplug size={14} aria-hidden className="text-fg-3" />
              <span>{TEXTS.disconnectMenu}</span>
              <span className="ml-auto text-fg-3 text-xs tabular-nums">{edges.length}</span>
            </MenuItem>
          </MenuGroup>
        ) : null}
      </MenuList>
    </>
  );
}

function Partners({ end, close }: { end: End; close: Close }) {
  const preposition = end.side === "out" ? "to" : "from";
  return (
    <>
      <DialogTitle className="px-3 pt-2.5 font-semibold">{TEXTS.connectPortTo(end.port, preposition)}</DialogTitle>
      <MenuList label={TEXTS.connectPort(end.port)} placeholder={TEXTS.searchNodes} empty={TEXTS.noMatches}>
        <PartnerItems end={end} close={close} />
      </MenuList>
    </>
  );
}

/** What a node's first output can be connected to is in the list of its ports, too, once a person types its name. */
function PartnersOfFirstOutput({ end, close }: { end: End; close: Close }) {
  return useMenuSearch() === "" ? null : <PartnerItems end={end} close={close} from={end.port} />;
}

/** What an end can be connected to: nodes of the flow and new ones. `from` is its port, where the list is not about that alone. */
function PartnerItems({ end, close, from }: { end: End; close: Close; from?: PortName }) {
  const workspace = useWorkspace();
  const { editor, nodeNames } = workspace;
  const flow = useFlow((state) => state.flow);
  const checked = useFlow((state) => state.checked);
  const types = useNodeTypes((all) => all);
  const pulled = pulledFrom(workspace, end);
  if (!pulled) return null;
  const there = partners(types, flow, checked, end);
  const fresh = types.list.filter((type) => fittingPort(type, pulled.kind, pulled.type, end.side));
  const origin = from === undefined ? null : <span className="ml-auto text-fg-3 text-xs">{TEXTS.fromPort(from)}</span>;
  return (
    <>
      {there.length > 0 ? (
        <MenuGroup heading={TEXTS.inThisFlow}>
          {there.map((other) => (
            <MenuItem
              key={`${other.node} ${other.port}`}
              value={`${nodeNames.nameOf(other.node)} ${other.port} (${other.node})`}
              testId={`connect-to-${other.node}-${other.port}`}
              onChoose={() => {
                const edge = edgeBetween(end, other);
                if (edge) editor.connect(edge);
                close(end.node);
              }}
            >
              <PortMark kind={pulled.kind} />
              <span className="truncate">{nodeNames.nameOf(other.node)}</span>
              <span className="text-fg-3">{other.port}</span>
              {origin}
            </MenuItem>
          ))}
        </MenuGroup>
      ) : null}
      <MenuGroup heading={TEXTS.newNode}>
        {fresh.map((type) => (
          <MenuItem
            key={type.type}
            value={`New ${type.title}`}
            terms={type.terms}
            testId={`connect-new-${type.type}`}
            onChoose={() => {
              const added = addNodeFor(workspace, pulled, type.type, beside(flow, end), {
                loop: homeOf(flow, end),
                follows: true,
              });
              close(added ?? end.node);
              if (added !== undefined) focusNewNode(workspace, added);
            }}
          >
            <TypeBadge type={type} />
            <span>{type.title}</span>
            {origin}
          </MenuItem>
        ))}
      </MenuGroup>
    </>
  );
}

/** Where a new node connected to this end would go if nothing were there: next to it. */
function beside(flow: Flow, end: End) {
  const at = cornerOf(flow, end.node);
  const size = flow.layout[end.node];
  const right = at.x + (size?.width ?? CARD_WIDTH);
  const x = end.inner
    ? end.side === "out"
      ? at.x + BODY_INSET.left
      : right - BODY_INSET.right
    : end.side === "out"
      ? right + 90
      : at.x - 90;
  return { x, y: at.y + portY(0) + (end.inner ? BODY_INSET.top : 0) };
}

/** The loop that a new node connected to this end is in. */
function homeOf(flow: Flow, end: End): NodeId | undefined {
  return end.inner ? end.node : containerOf(flow, end.node);
}

function PortMark({ kind }: { kind: string }) {
  return <i className="port-mark" data-kind={kind} aria-hidden />;
}
