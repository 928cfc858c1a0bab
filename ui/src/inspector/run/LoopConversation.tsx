import { Pin } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import type { Flow, LoopTurnsView, NodeId } from "@/bindings";
import { IconButton } from "@/design/controls/Button";
import { displayedFlow } from "@/flow/document/flow-state";
import type { RunState } from "@/run/fold/types";
import type { RunSession } from "@/run/live/session";
import { turnsAfter } from "@/run/time-travel/loop-turns";
import { useFlow, useWorkspace } from "@/workspace/context";
import {
  useActiveSession,
  useChosenEpoch,
  useEventCount,
  usePastRun,
  useRunHead,
  useShownRun,
} from "@/workspace/run-hooks";
import { EarlierMessages } from "./EarlierMessages";
import { MessageBox } from "./PromptMessages";
import { Section } from "./Section";
import { TEXTS } from "./texts";

/** Long conversations are shown from their end; the rest on demand. */
const MAX_VISIBLE_TURNS = 40;

/** The conversation of the innermost conversational loop around a node, or of the loop that it is, if there is one. */
export function useLoopTurns(node: NodeId): LoopTurnsView | undefined {
  const session = useActiveSession();
  const flow = useFlow(displayedFlow);
  const { epoch } = useChosenEpoch(node);
  const loop = conversationalLoop(flow, node);
  const shown = useShownRun();
  const past = usePastRun();
  const now = useConversationsOf(loop === undefined ? undefined : session);
  const all = useMemo(() => (past ? turnsAfter(past.log.entries, now) : now), [past, now]);
  if (!shown || loop === undefined) return undefined;
  const outer = around(shown.fold, loop, epoch?.epoch ?? []);
  const isAround = (turns: LoopTurnsView) => outer.every((counter, at) => turns.epoch[at] === counter);
  return all.findLast((turns) => turns.node === loop && isAround(turns)) ?? all.findLast(({ node }) => node === loop);
}

const NO_CONVERSATIONS: readonly LoopTurnsView[] = [];

/** The conversations of the loops of a run. The host is asked again when one of them has changed. */
function useConversationsOf(session: RunSession | undefined): readonly LoopTurnsView[] {
  const { host } = useWorkspace();
  // Changes come with events.
  useEventCount();
  const changes = session?.log.conversationChanges ?? 0;
  const [known, setKnown] = useState<{ of: RunSession; all: LoopTurnsView[] }>();
  useEffect(() => {
    if (!session || changes === 0) return;
    let current = true;
    host.call("lens.turns", { run: session.run, ended: true }).then(
      (all) => {
        if (current) setKnown({ of: session, all });
      },
      // The host says elsewhere that it can't be reached.
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [host, session, changes]);
  return known && known.of === session ? known.all : NO_CONVERSATIONS;
}

/** The epoch of the loop's execution that an activation is in: the longest one that the activation's epoch begins with. */
function around({ nodes }: RunState, loop: NodeId, epoch: readonly number[]): number[] {
  const executions = nodes.get(loop)?.epochs ?? [];
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
export function LoopConversation({ conversation }: { conversation: LoopTurnsView }) {
  const workspace = useWorkspace();
  const isWaiting = useRunHead((head) => head.status === "waiting");
  const isPast = usePastRun() !== undefined;
  const [all, setAll] = useState(false);
  const { node, turns, isOpen } = conversation;
  const hidden = all ? 0 : Math.max(0, turns.length - MAX_VISIBLE_TURNS);
  const canPin = isOpen && isWaiting && !isPast;
  return (
    <Section title={TEXTS.conversationOf(workspace.nodeNames.nameOf(node))}>
      <EarlierMessages count={hidden} onShow={() => setAll(true)} />
      <ol className="flex flex-col gap-1.5" aria-label={TEXTS.turns}>
        {turns.slice(hidden).map(({ id, role, text, tokens, node: author, pinned }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added, and one message may be said twice.
          <li key={hidden + index} className="flex items-start gap-1" data-pinned={pinned || undefined}>
            <div className="min-w-0 grow">
              <MessageBox role={role} tokens={tokens} text={text} author={author} />
            </div>
            {pinned || isOpen ? (
              <IconButton
                label={pinned ? TEXTS.unpinTurn : TEXTS.pinTurn}
                pressed={pinned}
                disabled={!canPin}
                className="size-6"
                icon={<Pin size={13} fill={pinned ? "currentColor" : "none"} />}
                onClick={() => void workspace.runs.pin(conversation, id, !pinned)}
              />
            ) : null}
          </li>
        ))}
      </ol>
      {isOpen ? <p className="mt-1.5 text-fg-3 text-xs">{TEXTS.pinHelp}</p> : null}
    </Section>
  );
}
