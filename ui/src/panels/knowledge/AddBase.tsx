import { type FormEvent, useState } from "react";
import { Button } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { notify } from "@/design/dialogs/notify";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { useWorkspace } from "@/workspace/context";
import { reindex } from "./actions";
import { TEXTS } from "./texts";

/** Names a folder or file as a knowledge base, and indexes it. */
export function AddBase({ onDone, onChange }: { onDone: () => void; onChange: () => void }) {
  const workspace = useWorkspace();
  const [name, setName] = useState("");
  const [path, setPath] = useState("");
  const [model, setModel] = useState("");
  const [problem, setProblem] = useState<Pick<HostError, "code" | "message" | "hint">>();
  const choose = async () => {
    try {
      const { path: chosen } = await workspace.host.call("dialog.folder", {});
      if (chosen === null) return;
      setPath(chosen);
      if (name === "") setName(chosen.split(/[\\/]/).filter(Boolean).at(-1) ?? "");
    } catch (thrown) {
      notify.error(HostError.from(thrown));
    }
  };
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const slash = model.indexOf("/");
    if (model.trim() !== "" && slash < 1)
      return setProblem({ code: "knowledge.embeddings", message: TEXTS.embeddingsProblem });
    const embeddings =
      model.trim() === ""
        ? undefined
        : { provider: model.slice(0, slash).trim(), model: model.slice(slash + 1).trim() };
    try {
      const added = await workspace.host.call("knowledge.add", { name: name.trim(), paths: [path.trim()], embeddings });
      onDone();
      await reindex(workspace, added.name, false, onChange);
    } catch (thrown) {
      setProblem(HostError.from(thrown));
    }
  };
  return (
    <form
      className="mb-2 flex flex-col gap-1.5 rounded-lg border border-line bg-bg-2 p-2 text-sm"
      aria-label={TEXTS.addBase}
      data-testid="knowledge-form"
      onSubmit={add}
    >
      <Field label={TEXTS.path} value={path} onChange={setPath} testId="knowledge-path" />
      <Button className="self-end" data-testid="knowledge-choose" onClick={() => void choose()}>
        {TEXTS.choose}
      </Button>
      <Field
        label={TEXTS.name}
        placeholder={TEXTS.namePlaceholder}
        value={name}
        onChange={setName}
        testId="knowledge-name"
      />
      <Field
        label={TEXTS.embeddings}
        placeholder={TEXTS.embeddingsPlaceholder}
        value={model}
        onChange={setModel}
        testId="knowledge-embeddings"
      />
      <p className="text-fg-3 text-xs">{TEXTS.embeddingsHelp}</p>
      {problem ? <ErrorMessage error={problem} className="text-xs" /> : null}
      <div className="flex justify-end gap-1.5">
        <Button onClick={onDone}>{TEXTS.cancel}</Button>
        <Button
          type="submit"
          kind="main"
          data-testid="knowledge-submit"
          disabled={name.trim() === "" || path.trim() === ""}
        >
          {TEXTS.add}
        </Button>
      </div>
    </form>
  );
}

type FieldProps = {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (text: string) => void;
  testId: string;
};

function Field({ label, placeholder, value, onChange, testId }: FieldProps) {
  return (
    <label className="flex flex-col gap-0.5 text-fg-2 text-xs">
      {label}
      <input
        className={`${CONTROL} h-[30px] text-sm`}
        placeholder={placeholder}
        data-testid={testId}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}
