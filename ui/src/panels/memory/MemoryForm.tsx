import { type FormEvent, useId, useState } from "react";
import type { MemoryContent, MemoryKind } from "@/bindings";
import { MEMORY_KINDS } from "@/bindings/constants";
import { Button } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { Select } from "@/design/controls/Select";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { contentOf, draftOf, isComplete, type MemoryDraft } from "./memory";
import { TEXTS } from "./texts";

type Props = {
  /** The memory to change, or an empty one of a kind. */
  content: MemoryContent;
  titles: Record<MemoryKind, string>;
  /** Rejects with the host's error, which the form shows. */
  onSave: (content: MemoryContent) => Promise<void>;
  onCancel: () => void;
};

/** Writes or changes a memory. */
export function MemoryForm({ content, titles, onSave, onCancel }: Props) {
  const [draft, setDraft] = useState<MemoryDraft>(draftOf(content));
  const [problem, setProblem] = useState<HostError>();
  const [busy, setBusy] = useState(false);
  const change = (changes: Partial<MemoryDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await onSave(contentOf(draft));
    } catch (thrown) {
      setProblem(HostError.from(thrown));
      setBusy(false);
    }
  };
  return (
    <form
      className="flex flex-col gap-1.5 rounded-lg border border-accent bg-bg-2 p-2"
      aria-label={titles[draft.kind]}
      data-testid="memory-form"
      onSubmit={save}
    >
      <div className="flex items-center gap-2">
        <b className="min-w-0 flex-1 truncate font-semibold text-sm">{titles[draft.kind]}</b>
        <Select
          label={TEXTS.kind}
          testId="memory-form-kind"
          options={MEMORY_KINDS.map((kind) => ({ id: kind, label: TEXTS.kindNames[kind] }))}
          value={draft.kind}
          onChange={(kind) => change({ kind })}
        />
      </div>
      <Field label={TEXTS.textLabels[draft.kind]} testId="memory-form-text" value={draft.text} focused>
        {(text) => change({ text })}
      </Field>
      {draft.kind === "procedure" ? (
        <Field label={TEXTS.steps} testId="memory-form-steps" value={draft.steps}>
          {(steps) => change({ steps })}
        </Field>
      ) : null}
      {problem ? <ErrorMessage error={problem} className="text-xs" /> : null}
      <div className="flex justify-end gap-1.5">
        <Button onClick={onCancel}>{TEXTS.cancel}</Button>
        <Button type="submit" kind="main" data-testid="memory-save" disabled={busy || !isComplete(draft)}>
          {TEXTS.save}
        </Button>
      </div>
    </form>
  );
}

type FieldProps = {
  label: string;
  testId: string;
  value: string;
  focused?: boolean;
  /** Receives each change of the text. */
  children: (text: string) => void;
};

function Field({ label, testId, value, focused = false, children }: FieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-0.5 block text-fg-2 text-xs">
        {label}
      </label>
      <textarea
        id={id}
        // biome-ignore lint/a11y/noAutofocus: the form opens on request.
        autoFocus={focused}
        rows={2}
        className={`${CONTROL} field-sizing-content max-h-60 min-h-14 text-sm`}
        data-testid={testId}
        value={value}
        onChange={(event) => children(event.target.value)}
      />
    </div>
  );
}
