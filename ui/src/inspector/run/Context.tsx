import { useMemo, useState } from "react";
import type { ContextId, Epoch, LoopTurnsView, NodeId } from "@/bindings";
import { Empty } from "@/design/text/Empty";
import { contextShade } from "@/flow/document/context-colors";
import { formatIteration } from "@/run/fold/epoch";
import { messageText } from "@/run/fold/message-text";
import type { ContextMark } from "@/run/live/event-log";
import type { ShownRun } from "@/run/live/past-run";
import { describeCost, describeTokens, formatClock, formatCost, formatCount } from "@/run/values/format";
import { contextOf } from "@/run/values/inputs";
import { ValueView } from "@/run/values/ValueView";
import { useWorkspace } from "@/workspace/context";
import { useChosenEpoch, useContextView, useShownRun } from "@/workspace/run-hooks";
import { EarlierMessages } from "./EarlierMessages";
import { LoopConversation, useLoopTurns } from "./LoopConversation";
import { MessageBox } from "./PromptMessages";
import { RunPage } from "./RunPage";
import { Section } from "./Section";
import { TEXTS } from "./texts";
import { WorkflowMemory } from "./WorkflowMemory";

/** Long histories are shown from their end; the rest on demand. */
const MAX_VISIBLE_MESSAGES = 60;

/** The context of the node: its current state, or its state after the chosen iteration. */
export function Context({ nodeId }: { nodeId: NodeId }) {
  const run = useShownRun();
  const { epoch, chosen } = useChosenEpoch(nodeId);
  const conversation = useLoopTurns(nodeId);
  const id = run && epoch && contextOf({ nodes: run.fold.nodes, head: run.fold.head }, nodeId, epoch.epoch);
  if (!run || !epoch || id === undefined) {
    if (conversation) {
      return (
        <RunPage label={TEXTS.contextState}>
          <LoopConversation conversation={conversation} />
        </RunPage>
      );
    }
    return (
      <Empty title={run && epoch ? TEXTS.noContext : TEXTS.noRunYet}>
        <p>{TEXTS.showsMessagesNodeReads}</p>
      </Empty>
    );
  }
  return (
    <ContextOf run={run} id={id} node={nodeId} epoch={chosen ? epoch.epoch : undefined} conversation={conversation} />
  );
}

type ContextOfProps = {
  run: ShownRun;
  id: ContextId;
  node: NodeId;
  epoch?: Epoch;
  /** The conversation of the loop around the node. */
  conversation?: LoopTurnsView;
};

function ContextOf({ run, id, node, epoch, conversation }: ContextOfProps) {
  const now = useContextView(id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the journal is mutable; the context's view says when it changed.
  const found = useMemo(() => {
    const end = epoch && run.log.endOf(node, epoch);
    return run.log.contextAt(id, end);
  }, [run, id, node, epoch, now]);
  const [all, setAll] = useState(false);
  if (!found) return <Empty title={TEXTS.contextNotFound} />;
  const { mark, messages } = found;
  const tokens = messages.reduce((sum, message) => sum + message.tokens, 0);
  const hidden = all ? 0 : Math.max(0, messages.length - MAX_VISIBLE_MESSAGES);
  return (
    <RunPage label={TEXTS.contextState} data-testid="context-view" data-revision={mark.record.revision}>
      <Head run={run} id={id} mark={mark} count={messages.length} tokens={tokens} />
      {epoch ? (
        <p className="mb-2 text-fg-3 text-xs">
          {TEXTS.stateAfterIteration} {formatIteration(epoch)}
          {now && now.record.revision !== mark.record.revision
            ? `, changed ${now.record.revision - mark.record.revision} times since`
            : ""}
          .
        </p>
      ) : null}
      {mark.record.systemInstructions ? (
        <Section title={TEXTS.systemInstructions}>
          <ValueView value={mark.record.systemInstructions} label={TEXTS.systemInstructions} />
        </Section>
      ) : null}
      <Section title={TEXTS.messages}>
        {messages.length === 0 ? <p className="text-fg-3 text-sm">{TEXTS.noMessagesYet}</p> : null}
        <EarlierMessages count={hidden} onShow={() => setAll(true)} />
        <ol className="flex flex-col gap-1.5">
          {messages.slice(hidden).map((message) => (
            <li key={message.id}>
              <MessageBox
                role={message.role}
                tokens={message.tokens}
                text={messageText(message.content)}
                author={message.author.node}
              />
            </li>
          ))}
        </ol>
      </Section>
      {conversation ? <LoopConversation conversation={conversation} /> : null}
      <WorkflowMemory after={epoch && { node, epoch }} />
      <Changes run={run} id={id} until={mark} />
    </RunPage>
  );
}

function Head({
  run,
  id,
  mark,
  count,
  tokens,
}: {
  run: ShownRun;
  id: ContextId;
  mark: ContextMark;
  count: number;
  tokens: number;
}) {
  const workspace = useWorkspace();
  const spent = run.fold.contexts.get(id);
  const maker = spent?.createdBy.node;
  const { record } = mark;
  return (
    <div className="mb-3">
      <p className="flex items-center gap-2">
        <i
          aria-hidden
          className="size-2.5 shrink-0 rounded-full"
          style={{
            background:
              maker === undefined
                ? "var(--context)"
                : contextShade(workspace.nodeTypes.all, workspace.editor.state, maker),
          }}
        />
        <b className="truncate font-semibold">{maker === undefined ? id : workspace.nodeNames.nameOf(maker)}</b>
        <span className="text-fg-3 text-xs">{record.contextType}</span>
      </p>
      <dl className="mt-1.5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-xs [&>dt]:text-fg-3">
        <dt>{TEXTS.model}</dt>
        <dd className="truncate">
          {record.provider} · {record.model}
        </dd>
        <dt>{TEXTS.messages}</dt>
        <dd className="tabular-nums">{TEXTS.tokens(formatCount(count), formatCount(tokens))}</dd>
        {spent && spent.usage.input + spent.usage.output > 0 ? (
          <>
            <dt>{TEXTS.usage}</dt>
            <dd className="tabular-nums" title={describeCost(spent.cost)} data-testid="context-spent">
              {describeTokens(spent.usage)} · {formatCost(spent.cost)}
            </dd>
          </>
        ) : null}
        <dt>{TEXTS.revision}</dt>
        <dd className="tabular-nums">{record.revision}</dd>
        <dt>{TEXTS.id}</dt>
        <dd className="truncate font-mono">{id}</dd>
        {record.parentContextId ? (
          <>
            <dt>{TEXTS.parent}</dt>
            <dd className="truncate font-mono">{record.parentContextId}</dd>
          </>
        ) : null}
      </dl>
    </div>
  );
}

const CHANGE_VERBS: Record<ContextMark["kind"], string> = {
  discarded: "dropped what a failed iteration said",
  created: "created it",
  recalled: "recalled the conversation",
  messages: "added messages",
  turn: "committed a turn",
  systemInstructions: "set the instructions",
  providerModel: "changed the model",
  reset: "cleared the history",
  edited: "waited while a person edited the history",
};
const MAX_VISIBLE_CHANGES = 12;

/** The latest changes of the context, newest first. */
function Changes({ run, id, until }: { run: ShownRun; id: ContextId; until: ContextMark }) {
  const workspace = useWorkspace();
  const marks = (run.log.contexts.get(id)?.marks ?? []).filter((mark) => mark.seq <= until.seq);
  return (
    <Section
      title={TEXTS.changes}
      trailing={
        marks.length > MAX_VISIBLE_CHANGES ? `last ${MAX_VISIBLE_CHANGES} of ${formatCount(marks.length)}` : undefined
      }
    >
      <ol className="text-xs">
        {marks
          .slice(-MAX_VISIBLE_CHANGES)
          .reverse()
          .map((mark) => (
            <li key={mark.seq} className="flex gap-2 py-0.5">
              <span className="w-6 shrink-0 text-right font-mono text-fg-3 tabular-nums">{mark.record.revision}</span>
              <span className="min-w-0 flex-1 truncate">
                {workspace.nodeNames.nameOf(mark.node)}
                {mark.epoch.length > 0 ? <span className="text-fg-3"> #{formatIteration(mark.epoch)}</span> : null}{" "}
                <span className="text-fg-2">{CHANGE_VERBS[mark.kind]}</span>
              </span>
              <span className="shrink-0 font-mono text-fg-3 tabular-nums">{formatClock(mark.at)}</span>
            </li>
          ))}
      </ol>
    </Section>
  );
}
