import { useEffect, useState } from "react";
import type { PromptHit, RunId } from "@/bindings";
import { SearchField } from "@/design/controls/SearchField";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** How long typing pauses before a search begins. */
const TYPING_PAUSE_MS = 250;

/** Searches all prompts and replies of the run and of its child runs. A hit leads to its call. */
export function PromptSearch({ run }: { run: RunId }) {
  const workspace = useWorkspace();
  const { host } = workspace;
  const [text, setText] = useState("");
  const [found, setFound] = useState<{ text: string; hits: PromptHit[]; error?: string }>();
  const wanted = text.trim();
  useEffect(() => {
    if (wanted === "") return setFound(undefined);
    let current = true;
    const timer = setTimeout(() => {
      host.call("lens.search", { run, text: wanted }).then(
        (hits) => current && setFound({ text: wanted, hits }),
        (error: unknown) => current && setFound({ text: wanted, hits: [], error: String(error) }),
      );
    }, TYPING_PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [host, run, wanted]);
  const open = async (hit: PromptHit) => {
    // It may be later than the moment that is looked at.
    workspace.activeRun.lookAt(undefined);
    if (hit.run !== run) await workspace.runs.open(hit.run);
    workspace.epochChoice.chooseCall(hit.node, hit.epoch, hit.call);
    workspace.canvas.reveal({ node: hit.node });
  };
  return (
    <search className="mb-2 block">
      <SearchField label={TEXTS.searchPrompts} value={text} onChange={setText} testId="prompt-search" />
      {found === undefined ? null : (
        <div role="status" className="mt-1 text-fg-3 text-xs">
          {found.error ?? TEXTS.matches(found.hits.length)}
        </div>
      )}
      {found?.hits.length ? (
        <ul className="mt-1 max-h-56 overflow-auto rounded-lg border border-line" aria-label={TEXTS.searchResults}>
          {found.hits.map((hit, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list of one search never changes.
            <li key={index} className="border-line not-first:border-t">
              <button
                type="button"
                className="block w-full px-2 py-1 text-left text-xs hover:bg-bg-3"
                onClick={() => void open(hit)}
              >
                <span className="flex gap-2 text-fg-3">
                  <b className="truncate font-semibold text-fg-2">{workspace.nodeNames.nameOf(hit.node)}</b>
                  <span className="ml-auto shrink-0">{describePlace(hit)}</span>
                </span>
                <span className="line-clamp-2 break-words">
                  {hit.before}
                  <mark className="rounded-[2px] bg-wait/30 text-fg">{hit.found}</mark>
                  {hit.after}
                </span>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </search>
  );
}

function describePlace({ epoch, call, message, role }: PromptHit): string {
  const iteration = epoch.at(-1);
  const parts = [
    iteration === undefined ? undefined : TEXTS.iterationOf(iteration + 1),
    TEXTS.callNumber(call + 1),
    message === undefined ? TEXTS.replyPlace : role,
  ];
  return parts.filter(Boolean).join(" · ");
}
