import { Download, Plus, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import type { MemoryContent, MemoryKind, MemoryPage } from "@/bindings";
import { MEMORY_KINDS } from "@/bindings/constants";
import { Button, IconButton } from "@/design/controls/Button";
import { SearchField } from "@/design/controls/SearchField";
import { Empty } from "@/design/text/Empty";
import { InlineCode } from "@/design/text/InlineCode";
import { useNow } from "@/design/useNow";
import { formatCount } from "@/run/values/format";
import { useWorkspace } from "@/workspace/context";
import { eraseMemories, exportMemories } from "./actions";
import { KindSwitch } from "./KindSwitch";
import { MemoryBranches } from "./MemoryBranches";
import { MemoryForm } from "./MemoryForm";
import { MemoryRow } from "./MemoryRow";
import { stillThere } from "./memory";
import { TEXTS } from "./texts";
import { UserBar } from "./UserBar";
import { useMemories } from "./useMemories";

/** How many memories a page has. */
const PAGE = 100;
const NOTHING: ReadonlySet<string> = new Set();

/** What flows know of the current user: to read, search, correct, export and erase. */
export function MemoryPanel() {
  const workspace = useWorkspace();
  const [kind, setKind] = useState<MemoryKind>("fact");
  const [search, setSearch] = useState("");
  const [limit, setLimit] = useState(PAGE);
  const { page, error, load } = useMemories(kind, search, limit);
  const [selected, setSelected] = useState(NOTHING);
  /** The memory that is changed; "new" is one that is not stored yet. */
  const [editing, setEditing] = useState<string>();
  useEffect(() => void workspace.users.load(), [workspace]);
  useEffect(() => {
    if (page) setSelected((before) => stillThere(before, page.memories));
  }, [page]);
  if (error) {
    return (
      <Empty title={TEXTS.couldntLoad}>
        <p>
          <InlineCode text={error.message} /> <InlineCode text={error.hint} />
        </p>
        <Button onClick={() => void load()}>{TEXTS.tryAgain}</Button>
      </Empty>
    );
  }
  if (!page) return <Empty title={TEXTS.loading} />;
  const { user, counts } = page;
  const total = MEMORY_KINDS.reduce((sum, one) => sum + (counts[one] ?? 0), 0);
  const choose = (next: MemoryKind) => {
    setKind(next);
    setSelected(NOTHING);
    setEditing(undefined);
    setLimit(PAGE);
  };
  const saved = async (work: () => Promise<{ kind: MemoryKind }>) => {
    const { kind: its } = await work();
    setEditing(undefined);
    if (its === kind) await load();
    else choose(its);
  };
  const add = (content: MemoryContent) => saved(() => workspace.host.call("memories.add", { user, content }));
  const edit = (id: string) => (content: MemoryContent) =>
    saved(() => workspace.host.call("memories.edit", { user, id, content }));
  const erase = async () => {
    if (await eraseMemories(workspace, user, [...selected])) await load();
  };
  return (
    <section className="flex h-full min-h-0 flex-col overflow-auto p-2.5" aria-label={TEXTS.memory}>
      <div className="mb-1.5 flex items-center gap-1">
        <h2 className="font-semibold text-sm">{TEXTS.memory}</h2>
        <span
          className="min-w-0 flex-1 truncate text-fg-3 text-xs tabular-nums"
          title={TEXTS.entries(formatCount(total))}
          data-testid="memory-count"
        >
          {formatCount(total)}
        </span>
        <IconButton
          label={TEXTS.add}
          data-testid="memory-add"
          icon={<Plus size={15} />}
          onClick={() => setEditing("new")}
        />
        <IconButton
          label={TEXTS.export}
          data-testid="memory-export"
          icon={<Download size={15} />}
          disabled={total === 0}
          onClick={() => void exportMemories(workspace, user)}
        />
        <IconButton
          label={TEXTS.erase}
          kind="danger"
          data-testid="memory-erase"
          icon={<Trash2 size={15} />}
          disabled={selected.size === 0}
          onClick={() => void erase()}
        />
      </div>
      <UserBar />
      {page.damage === undefined ? null : (
        <p className="mb-2 rounded-md border border-bad bg-bg-2 p-2 text-bad text-xs" role="status">
          {TEXTS.damaged} {page.damage} {TEXTS.damagedHelp}
        </p>
      )}
      <SearchField label={TEXTS.search} testId="memory-search" value={search} onChange={setSearch} />
      <KindSwitch kind={kind} counts={counts} onChange={choose} />
      {editing === "new" ? (
        <div className="mb-2">
          <MemoryForm
            content={{ kind, text: "" }}
            titles={TEXTS.addTitles}
            onSave={add}
            onCancel={() => setEditing(undefined)}
          />
        </div>
      ) : null}
      <List
        page={page}
        selected={selected}
        editing={editing}
        onSelect={(id, is) => setSelected((before) => toggled(before, id, is))}
        onEdit={setEditing}
        onSave={edit}
      />
      {page.memories.length === 0 && editing === undefined ? (
        <Nothing kind={kind} search={search} total={total} />
      ) : null}
      {page.found > page.memories.length ? (
        <Button className="mt-2 self-center" onClick={() => setLimit(limit + PAGE)}>
          {TEXTS.more(formatCount(page.found - page.memories.length))}
        </Button>
      ) : null}
      <MemoryBranches branches={page.branches} onKept={load} />
    </section>
  );
}

type ListProps = {
  page: MemoryPage;
  selected: ReadonlySet<string>;
  editing: string | undefined;
  onSelect: (id: string, selected: boolean) => void;
  onEdit: (id: string | undefined) => void;
  onSave: (id: string) => (content: MemoryContent) => Promise<void>;
};

function List({ page, selected, editing, onSelect, onEdit, onSave }: ListProps) {
  const now = useNow();
  if (page.memories.length === 0) return null;
  return (
    <ul className="rounded-lg border border-line bg-bg-2" aria-label={TEXTS.memory} data-testid="memories">
      {page.memories.map((memory) =>
        memory.id === editing ? (
          <li key={memory.id} className="p-1">
            <MemoryForm
              content={memory}
              titles={TEXTS.editTitles}
              onSave={onSave(memory.id)}
              onCancel={() => onEdit(undefined)}
            />
          </li>
        ) : (
          <MemoryRow
            key={memory.id}
            memory={memory}
            now={now}
            selected={selected.has(memory.id)}
            onSelect={(is) => onSelect(memory.id, is)}
            onEdit={() => onEdit(memory.id)}
          />
        ),
      )}
    </ul>
  );
}

function Nothing({ kind, search, total }: { kind: MemoryKind; search: string; total: number }) {
  if (search.trim() !== "") {
    return (
      <Empty title={TEXTS.noMatches}>
        <p>{TEXTS.noMatchesHelp}</p>
      </Empty>
    );
  }
  if (total > 0) return <Empty title={TEXTS.noneOfKind(TEXTS.kinds[kind])} />;
  return (
    <Empty title={TEXTS.nothing}>
      <p>{TEXTS.nothingHelp}</p>
    </Empty>
  );
}

function toggled(before: ReadonlySet<string>, id: string, is: boolean): ReadonlySet<string> {
  const after = new Set(before);
  if (is) after.add(id);
  else after.delete(id);
  return after;
}
