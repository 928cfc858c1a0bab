import { Pencil, RotateCcw, X } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { Button, IconButton } from "@/design/controls/Button";
import { Keys } from "@/design/keys/Keys";
import { formatKeys, keysOf } from "@/design/keys/keys";
import { TEXTS } from "@/shell/texts";
import type { Command } from "@/workspace/commands/command";
import { ownerOf } from "@/workspace/commands/shortcuts";
import { useCommands, useWorkspace } from "@/workspace/context";

type Props = { command: Command; isChanged: boolean; isRecording: boolean; onRecord: (records: boolean) => void };

/** A command with its shortcut, which can be changed, removed and reset. */
export function ShortcutRow({ command, isChanged, isRecording, onRecord }: Props) {
  const { shortcuts } = useWorkspace();
  const commands = useCommands();
  return (
    <li className="group border-line border-b py-0.5 last:border-0" data-testid={`shortcut-${command.id}`}>
      <div className="flex min-h-7 items-center gap-3">
        <span className="min-w-0 flex-1 truncate text-fg-2">{command.title}</span>
        <span className="flex shrink-0 gap-1.5">
          {isRecording ? null : command.keys?.map((one) => <Keys key={one} keys={one} />)}
        </span>
        <span className="flex shrink-0 opacity-0 focus-within:opacity-100 group-hover:opacity-100">
          <IconButton
            className="size-6"
            label={TEXTS.changeShortcut(command.title)}
            icon={<Pencil size={13} />}
            onClick={() => onRecord(true)}
          />
          <IconButton
            className="size-6"
            label={TEXTS.removeShortcut(command.title)}
            icon={<X size={13} />}
            disabled={!command.keys?.length}
            onClick={() => shortcuts.remove(command)}
          />
          <IconButton
            className="size-6"
            label={TEXTS.resetShortcut(command.title)}
            icon={<RotateCcw size={13} />}
            disabled={!isChanged}
            onClick={() => shortcuts.reset(command.id, commands.own)}
          />
        </span>
      </div>
      {isRecording ? <Recorder command={command} onDone={() => onRecord(false)} /> : null}
    </li>
  );
}

/** A person has just asked to press keys here. */
const takeFocus = (field: HTMLInputElement | null) => field?.focus();

/** Takes the keys that are pressed. Those of another command are taken over only when a person says so. */
function Recorder({ command, onDone }: { command: Command; onDone: () => void }) {
  const { shortcuts } = useWorkspace();
  const commands = useCommands();
  const [pressed, setPressed] = useState<string>();
  const owner = pressed === undefined ? undefined : ownerOf(commands.list, pressed, command);
  const take = (keys: string, from?: Command) => {
    shortcuts.set(command, keys, from);
    onDone();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Tab leaves the field, as any other.
    if (event.key === "Tab") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") return onDone();
    const keys = keysOf(event.nativeEvent);
    if (keys === undefined) return;
    if (ownerOf(commands.list, keys, command)) setPressed(keys);
    else take(keys);
  };
  return (
    <div className="mb-1.5 flex flex-wrap items-center gap-2 rounded-md bg-bg-3 p-1.5">
      <input
        ref={takeFocus}
        readOnly
        className="h-[26px] w-48 rounded-md border border-accent bg-bg px-2 text-sm outline-none"
        aria-label={TEXTS.pressKeys(command.title)}
        placeholder={TEXTS.pressTheKeys}
        value={pressed === undefined ? "" : formatKeys(pressed)}
        data-testid="shortcut-recorder"
        onKeyDown={onKeyDown}
      />
      {owner && pressed !== undefined ? (
        <>
          <span className="text-wait text-xs" role="alert">
            {TEXTS.shortcutUsedBy(formatKeys(pressed), owner.title)}
          </span>
          <Button className="h-[26px]" data-testid="shortcut-take-over" onClick={() => take(pressed, owner)}>
            {TEXTS.takeOver}
          </Button>
        </>
      ) : null}
      <Button kind="quiet" className="ml-auto h-[26px]" onClick={onDone}>
        {TEXTS.cancel}
      </Button>
    </div>
  );
}
