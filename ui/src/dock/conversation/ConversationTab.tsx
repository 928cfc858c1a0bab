import { useEffect, useMemo, useRef, useState } from "react";
import type { ContextId } from "@/bindings";
import { MAIN_CONTEXT } from "@/bindings/constants";
import { Empty } from "@/design/text/Empty";
import { sameEpoch } from "@/run/fold/epoch";
import { messageText } from "@/run/fold/message-text";
import type { OpenPause } from "@/run/fold/types";
import { contextOf } from "@/run/values/inputs";
import { shorten } from "@/run/values/preview";
import { useWorkspace } from "@/workspace/context";
import {
  useActiveSession,
  useContextsVersion,
  useEventCount,
  usePastRun,
  useRunHead,
  useShownRun,
} from "@/workspace/run-hooks";
import { RunPanel } from "../RunPanel";
import { Timeline } from "../timeline/TimelineTab";
import { useSize } from "../useSize";
import { ContextChooser } from "./ContextChooser";
import { ConversationItems, type Item, itemsOf } from "./conversation-items";
import { Messages } from "./Messages";
import { TEXTS } from "./texts";

/** From this width on, in pixels, the timeline is shown next to the conversation. */
const SIDE_BY_SIDE = 640;

/** The messages of the run, the streaming reply, and the open questions; with the timeline beside them, unless `alone`. */
export function ConversationTab({ alone = false }: { alone?: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const { width } = useSize(box);
  const hasRun = useActiveSession() !== undefined;
  return (
    <div ref={box} className="flex h-full min-h-0">
      <RunPanel
        none={
          <Empty title={TEXTS.noRunYet}>
            <p>{TEXTS.runFlowSeeMessages}</p>
          </Empty>
        }
      >
        {() => <Chat />}
      </RunPanel>
      {hasRun && !alone && width >= SIDE_BY_SIDE ? (
        <div className="min-w-0 flex-1 border-line border-l">
          <RunPanel none={null}>{() => <Timeline compact />}</RunPanel>
        </div>
      ) : null}
    </div>
  );
}

function Chat() {
  const session = useActiveSession();
  const past = usePastRun();
  const events = useEventCount();
  const pauses = useRunHead((head) => head.pauses);
  const [chosen, setChosen] = useState<ContextId>();
  const displayed = useDisplayedContext(chosen);
  const source = useRef(new ConversationItems());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the journal is mutable; its length says when it changed.
  const items = useMemo(() => {
    if (session) source.current.read(session.log.entries);
    const all = past ? source.current.after(past.count) : source.current.items;
    return itemsOf(all, displayed).filter((item) => item.kind !== "question" || !isOpen(pauses, item));
  }, [session, past, events, displayed, pauses]);
  return (
    <section className="flex min-h-0 min-w-0 flex-1 flex-col" aria-label={TEXTS.conversation}>
      <ContextChooser chosen={displayed} onChoose={setChosen} />
      <Messages items={items} context={displayed} pauses={pauses} />
      {past ? null : <Announcer last={items.at(-1)} />}
    </section>
  );
}

/** Open questions are shown as cards below. */
function isOpen(pauses: readonly OpenPause[], item: Extract<Item, { kind: "question" }>): boolean {
  return pauses.some(
    (pause) => pause.node === item.node && sameEpoch(pause.epoch, item.epoch) && pause.prompt === item.prompt,
  );
}

/** The chosen context, or the context of the open question, or the main context, or the first. */
function useDisplayedContext(chosen: ContextId | undefined): ContextId | undefined {
  const run = useShownRun();
  useContextsVersion();
  const asking = useRunHead((head) => head.pauses[0]);
  if (!run) return undefined;
  const { contexts, nodes, head } = run.fold;
  if (chosen !== undefined && contexts.has(chosen)) return chosen;
  const question = asking && contextOf({ nodes, head }, asking.node, asking.epoch);
  if (question !== undefined && contexts.has(question)) return question;
  return contexts.has(MAIN_CONTEXT) ? MAIN_CONTEXT : contexts.keys().next().value;
}

/**
 * Announces new replies and questions to screen readers. The list itself cannot: it is virtualized, and would announce
 * rows that are scrolled into view.
 */
function Announcer({ last }: { last: Item | undefined }) {
  const workspace = useWorkspace();
  const pause = useRunHead((head) => head.pauses.at(-1));
  const reply =
    last?.kind === "message" && last.message.role === "assistant"
      ? `${workspace.nodeNames.nameOf(last.message.author.node)}: ${shorten(messageText(last.message.content), MAX_ANNOUNCED_LENGTH)}`
      : "";
  const question = pause ? `${workspace.nodeNames.nameOf(pause.node)} asks: ${pause.prompt}` : "";
  // Only changes are announced, not the first content.
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return (
    <p aria-live="polite" className="sr-only">
      {isMounted ? `${reply} ${question}` : null}
    </p>
  );
}

const MAX_ANNOUNCED_LENGTH = 600;
