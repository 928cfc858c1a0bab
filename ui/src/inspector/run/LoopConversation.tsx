import { Pin } from "lucide-react";
import { useState } from "react";
import type { Flow, NodeId } from "@/bindings";
import { IconButton } from "@/design/controls/Button";
import { displayedFlow } from "@/flow/document/flow-state";
import type { LoopTurns } from "@/run/live/loop-conversations";
import type { RunSession } from "@/run/live/session";
import { messageText } from "@/run/values/message-text";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useActiveSession, useChosenEpoch, useEventCount, useRunHead } from "@/workspace/run-hooks";
import { EarlierMessages } from "./EarlierMessages";
import { MessageBox } from "./PromptMessages";
import { Section } from "./Section";
import { TEXTS } from "./texts";

/** Long conversations are shown from their end; the rest on demand. */
const MAX_VISIBLE_TURNS = 40;

/** The conversation of the innermost conversational loop around a node, or of the loop that it is, if there is one. */
export function useLoopTurns(node: NodeId): LoopTurns | undefined {
  const session = useActiveSession();
  const flow = useFlow(displayedFlow);
  const { epoch } = useChosenEpoch(node);
  // New turns and pins come with events.
  useEventCount();
  const loop = conversationalLoop(flow, node);
  if (!session || loop === undefined) return undefined;
  const found = session.log.loops.latest(loop, around(session, loop, epoch?.epoch ?? []));
  return found ?? session.log.loops.latest(loop);
}

/** The epoch of the loop's execution that an activation is in: the longest one that the activation's epoch begins with. */
function around(session: RunSession, loop: NodeId, epoch: readonly number[]): number[] {
  const executions = session.fold.nodes.get(loop)?.epochs ?? [];
  const enclosing = executions.filter((one) => one.epoch.every((counter, at) => epoch[at] === counter));
  return [...(enclosing.at(-1)?.epoch ?? [])];
}

function conversationalLoop(flow: Flow, node: NodeId): NodeId | undefined {
  const seen = new Set<NodeId>();
  for (let at: NodeId | undefined = node; at !== undefined && !seen.has(at); at = flow.nodes[at]?.parent) {
    seen.add(at);
    const { type, config } = flow.nodes[at] ?? {};
    if (type === "loop" && config?.conversation === true) return at;
  }
  return undefined;
}

/** The turns of a loop's conversation. While the run waits, a person can pin them. */
export function LoopConversation({ conversation }: { conversation: LoopTurns }) {
  const workspace = useWorkspace();
  const isWaiting = useRunHead((head) => head.status === "waiting");
  const [all, setAll] = useState(false);
  const { node, turns, isOpen } = conversation;
  const hidden = all ? 0 : Math.max(0, turns.length - MAX_VISIBLE_TURNS);
  const canPin = isOpen && isWaiting;
  return (
    <Section title={TEXTS.conversationOf(workspace.nodeNames.nameOf(node))}>
      <EarlierMessages count={hidden} onShow={() => setAll(true)} />
      <ol className="flex flex-col gap-1.5" aria-label={TEXTS.turns}>
        {turns.slice(hidden).map(({ message, pinned }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added, and one message may be said twice.
          <li key={hidden + index} className="flex items-start gap-1" data-pinned={pinned || undefined}>
            <div className="min-w-0 grow">
              <MessageBox
                role={message.role}
                tokens={message.tokens}
                text={messageText(message.content)}
                author={message.author.node}
              />
            </div>
            {pinned || isOpen ? (
              <IconButton
                label={pinned ? TEXTS.unpinTurn : TEXTS.pinTurn}
                pressed={pinned}
                disabled={!canPin}
                className="size-6"
                icon={<Pin size={13} fill={pinned ? "currentColor" : "none"} />}
                onClick={() => void workspace.runs.pin(conversation, message.id, !pinned)}
              />
            ) : null}
          </li>
        ))}
      </ol>
      {isOpen ? <p className="mt-1.5 text-fg-3 text-xs">{TEXTS.pinHelp}</p> : null}
    </Section>
  );
}
