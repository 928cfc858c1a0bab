import type { ContextId } from "@/bindings";
import { contextShade } from "@/flow/document/context-colors";
import { useWorkspace } from "@/workspace/context";
import { useContextsVersion, useShownRun } from "@/workspace/run-hooks";
import { TEXTS } from "./texts";

/** Which of the run's contexts the conversation shows; nothing to choose where there is one. */
export function ContextChooser({
  chosen,
  onChoose,
}: {
  chosen: ContextId | undefined;
  onChoose: (context: ContextId) => void;
}) {
  const { editor, nodeNames, nodeTypes } = useWorkspace();
  const run = useShownRun();
  useContextsVersion();
  const contexts = run ? [...run.fold.contexts] : [];
  if (contexts.length < 2) return null;
  const names = nodeNames.ofContexts(contexts.map(([id, view]) => ({ id, maker: view.createdBy.node })));
  return (
    <fieldset className="flex shrink-0 gap-1 overflow-x-auto px-3.5 pt-2">
      <legend className="sr-only">{TEXTS.context}</legend>
      {contexts.map(([id, view]) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === chosen}
          data-testid={`context-choice-${id}`}
          className="flex items-center gap-1.5 whitespace-nowrap rounded-full border border-line px-2.5 py-0.5 text-fg-2 text-xs hover:border-line-2 aria-pressed:border-line-2 aria-pressed:bg-bg-3 aria-pressed:text-fg"
          onClick={() => onChoose(id)}
        >
          <span
            aria-hidden
            className="size-2 rounded-full"
            style={{ background: contextShade(nodeTypes.all, editor.state, view.createdBy.node) }}
          />
          {names.get(id)}
          <span className="text-fg-3 tabular-nums">{view.record.messageHistory.length}</span>
        </button>
      ))}
    </fieldset>
  );
}
