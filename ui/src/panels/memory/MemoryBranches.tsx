import type { ForkedMemories } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { keepFork } from "@/panels/conversations/actions";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

type Props = { branches: readonly ForkedMemories[]; onKept: () => Promise<void> };

/** What forked runs changed of the user's memories for themselves alone, and taking it over. */
export function MemoryBranches({ branches, onKept }: Props) {
  const workspace = useWorkspace();
  if (branches.length === 0) return null;
  const keep = async (branch: ForkedMemories) => {
    await keepFork(workspace, branch.run);
    await onKept();
  };
  return (
    <section className="mt-3" aria-label={TEXTS.branches}>
      <h3 className="font-semibold text-sm">{TEXTS.branches}</h3>
      <p className="mb-1.5 text-fg-3 text-xs">{TEXTS.branchesHelp}</p>
      <ul className="rounded-lg border border-line bg-bg-2" data-testid="memory-branches">
        {branches.map((branch) => (
          <li key={branch.run} className="border-line border-b px-2 py-1.5 last:border-b-0">
            <div className="flex items-center gap-1">
              <span className="min-w-0 flex-1 truncate text-fg-3 text-xs tabular-nums">
                {TEXTS.branchChanges(branch.stored.length, branch.erased)}
              </span>
              <Button onClick={() => void workspace.runs.open(branch.run)}>{TEXTS.openFork}</Button>
              <Button onClick={() => void keep(branch)}>{TEXTS.keepBranch}</Button>
            </div>
            {branch.damage === undefined ? null : (
              <p className="text-bad text-xs" role="status">
                {TEXTS.damaged} {branch.damage}
              </p>
            )}
            {branch.stored.map((memory) => (
              <p key={memory.id} className="whitespace-pre-wrap break-words text-sm">
                {memory.text}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
