import type { NodeId } from "@/bindings";
import { replyOf } from "@/run/nodes/element-views";
import { useNodeView } from "@/workspace/run-hooks";

/** More of a reply than the card has room for, below the card while it is pointed at, or selected with the focus of the keyboard. */
export function ReplyBeside({ node }: { node: NodeId }) {
  const view = useNodeView(node);
  const reply = view && replyOf(view);
  if (!reply) return null;
  return (
    <div className="reply-beside" data-testid={`reply-beside-${node}`}>
      {reply}
    </div>
  );
}
