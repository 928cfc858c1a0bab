import { X } from "lucide-react";
import { Dialog, DialogTitle } from "@/design/Dialog";
import { Keys } from "@/design/Keys";
import { GROUPS } from "@/workspace/command";
import { useCommands, useOverlays, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** Keys that are not commands: the pointer's, and those the page itself carries out. */
const OTHERS: { title: string; keys: string }[] = [
  { title: TEXTS.cutCopyPaste, keys: "Mod+X / C / V" },
  { title: TEXTS.focusNextNode, keys: "Tab" },
  { title: TEXTS.addSelection, keys: "Shift+Click" },
  { title: TEXTS.selectAnArea, keys: "Shift+Drag" },
];

/** All shortcuts, by group. */
export function ShortcutsHelp() {
  const workspace = useWorkspace();
  const commands = useCommands();
  const open = useOverlays((state) => state.shortcuts);
  const close = () => workspace.overlays.hideShortcuts();
  return (
    <Dialog open={open} onClose={close} testId="shortcuts-help" className="flex max-h-[86vh] w-[860px] flex-col p-5">
      <div className="mb-3 flex items-center justify-between">
        <DialogTitle className="font-semibold text-lg">{TEXTS.keyboardShortcuts}</DialogTitle>
        <button
          type="button"
          onClick={close}
          className="grid size-[30px] place-items-center rounded-md text-fg-2 hover:bg-bg-3"
          aria-label={TEXTS.close}
        >
          <X size={16} aria-hidden />
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also without a pointer. */}
      <section className="columns-2 gap-8 overflow-y-auto text-sm" tabIndex={0} aria-label={TEXTS.allShortcuts}>
        {GROUPS.map((group) => {
          const rows = commands.list.filter((one) => one.group === group && one.keys?.length);
          return rows.length === 0 ? null : (
            <section key={group} className="mb-4 break-inside-avoid">
              <h3 className="mb-1 font-semibold text-2xs text-fg-3 uppercase tracking-[0.05em]">{group}</h3>
              {rows.map((one) => (
                <Row key={one.id} title={one.title} keys={one.keys ?? []} />
              ))}
              {group === "Edit"
                ? OTHERS.map((one) => <Row key={one.title} title={one.title} keys={[one.keys]} />)
                : null}
            </section>
          );
        })}
      </section>
    </Dialog>
  );
}

function Row({ title, keys }: { title: string; keys: readonly string[] }) {
  return (
    <p className="flex items-center justify-between gap-3 border-line border-b py-1 last:border-0">
      <span className="text-fg-2">{title}</span>
      <span className="flex gap-1.5">
        {keys.map((one) => (
          <Keys key={one} keys={one} />
        ))}
      </span>
    </p>
  );
}
