/** The node of the config that a form edits, for controls that choose among the other nodes. */
import { createContext, useContext } from "react";
import type { Node, NodeId } from "@/bindings";
import { displayedFlow } from "@/flow/document/flow-state";
import { useFlow } from "@/workspace/context";

export const ConfigNode = createContext<NodeId | undefined>(undefined);

/** Its id and the node; neither in a form that is not about a node. */
export function useConfigNode(): { id: NodeId | undefined; node: Node | undefined } {
  const id = useContext(ConfigNode);
  const node = useFlow((state) => (id === undefined ? undefined : displayedFlow(state).nodes[id]));
  return { id, node };
}
