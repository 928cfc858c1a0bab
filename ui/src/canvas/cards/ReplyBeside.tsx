import type { NodeId } from "@/bindings";
import { replyOf } from "@/run/nodes/element-views";
import { useFlow } from "@/workspace/context";
import { useNodeView } from "@/workspace/run-hooks";

type Props = { node: NodeId; pointed: boolean };

/** More of a reply than the card has room for, below the card while it is pointed at or alone selected. */
export function ReplyBeside({ node, pointed }: Props) {
  const view = useNodeView(node);
  const isAlone = useFlow(({ selection }) => selection.nodes.size === 1);
  const reply = view && (pointed || isAlone) ? replyOf(view) : undefined;
  if (!reply) return null;
  return (
    <div className="reply-beside" data-testid={`reply-beside-${node}`}>
      {reply}
    </div>
  );
}
