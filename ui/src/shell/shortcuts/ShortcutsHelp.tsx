import { X } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "@/design/controls/Button";
import { SearchField } from "@/design/controls/SearchField";
import { Dialog, DialogTitle } from "@/design/dialogs/Dialog";
import { Keys } from "@/design/keys/Keys";
import { formatKeys } from "@/design/keys/keys";
import { TEXTS } from "@/shell/texts";
import { type Command, type CommandGroup, GROUPS } from "@/workspace/commands/command";
import { useCommands, useOverlays, useSettings, useWorkspace } from "@/workspace/context";
import { ShortcutRow } from "./ShortcutRow";

/** Keys that are not commands: the pointer's, and those the page itself carries out. */
const OTHERS: { title: string; keys: string }[] = [
  { title: TEXTS.cutCopyPaste, keys: "Mod+X / C / V" },
  { title: TEXTS.focusNextNode, keys: "Tab" },
  { title: TEXTS.addSelection, keys: "Shift+Click" },
  { title: TEXTS.backToNow, keys: "Escape" },
  { title: TEXTS.selectAnArea, keys: "Shift+Drag" },
];

const searchField = () => document.querySelector<HTMLElement>("[data-testid=shortcuts-search]");

/** All commands with their shortcuts, by group: to look them up, and to change them. */
export function ShortcutsHelp() {
  const workspace = useWorkspace();
  const open = useOverlays((state) => state.shortcuts);
  const close = () => workspace.overlays.hideShortcuts();
  return (
    <Dialog
      open={open}
      onClose={close}
      testId="shortcuts-help"
      className="flex h-[86vh] w-[640px] flex-col p-5"
      initialFocus={searchField}
    >
      <div className="mb-3 flex items-center justify-between">
        <DialogTitle className="font-semibold text-lg">{TEXTS.keyboardShortcuts}</DialogTitle>
        <IconButton label={TEXTS.close} icon={<X size={16} aria-hidden />} onClick={close} />
      </div>
      <ShortcutList />
    </Dialog>
  );
}

function ShortcutList() {
  const { shortcuts } = useWorkspace();
  const commands = useCommands();
  const changed = useSettings(() => shortcuts.changed);
  const [query, setQuery] = useState("");
  const [recorded, setRecorded] = useState<string>();
  const has = (...texts: string[]) => hasAll(texts.join(" "), query);
  const rowsOf = (group: CommandGroup) => commands.list.filter((one) => one.group === group && has(wordsOf(one)));
  const others = OTHERS.filter((one) => has(one.title, one.keys));
  const found = GROUPS.map((group) => ({ group, rows: rowsOf(group) })).filter(
    ({ group, rows }) => rows.length > 0 || (group === "Edit" && others.length > 0),
  );
  return (
    <>
      <div className="mb-2 flex items-center gap-2">
        <SearchField
          label={TEXTS.searchShortcuts}
          testId="shortcuts-search"
          value={query}
          onChange={(next) => {
            setQuery(next);
            setRecorded(undefined);
          }}
        />
        <Button
          kind="quiet"
          disabled={Object.keys(changed).length === 0}
          data-testid="shortcuts-reset"
          onClick={() => shortcuts.resetAll()}
        >
          {TEXTS.resetAll}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also without a pointer. */}
      <section className="min-h-0 flex-1 overflow-y-auto pr-1 text-sm" tabIndex={0} aria-label={TEXTS.allShortcuts}>
        {found.map(({ group, rows }) => (
          <section key={group} className="mb-4">
            <h3 className="mb-1 font-semibold text-2xs text-fg-3 uppercase tracking-[0.05em]">{group}</h3>
            <ul>
              {rows.map((one) => (
                <ShortcutRow
                  key={one.id}
                  command={one}
                  isChanged={changed[one.id] !== undefined}
                  isRecording={recorded === one.id}
                  onRecord={(records) => setRecorded(records ? one.id : undefined)}
                />
              ))}
              {group === "Edit" ? others.map((one) => <FixedRow key={one.title} {...one} />) : null}
            </ul>
          </section>
        ))}
        {found.length === 0 ? <p className="p-2 text-fg-2">{TEXTS.noMatches}</p> : null}
      </section>
    </>
  );
}

function FixedRow({ title, keys }: { title: string; keys: string }) {
  return (
    <li className="flex min-h-8 items-center justify-between gap-3 border-line border-b last:border-0">
      <span className="text-fg-2">{title}</span>
      <Keys keys={keys} />
    </li>
  );
}

/** A command is found by its title, its other words, and its keys as they are shown. */
function wordsOf({ title, terms = [], keys = [], group }: Command): string {
  return [title, group, ...terms, ...keys.map(formatKeys)].join(" ");
}

function hasAll(text: string, query: string): boolean {
  const lower = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
