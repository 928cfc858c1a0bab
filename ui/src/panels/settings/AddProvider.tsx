import { type FormEvent, useState } from "react";
import { changeSettings, settingsStore } from "@/app/settings";
import { CONTROL } from "@/inspector/fields/props";
import { Button } from "@/look/Button";

/** Names another server that speaks the OpenAI protocol: Ollama, llama.cpp, LM Studio, vLLM. */
export function AddProvider() {
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const add = (event: FormEvent) => {
    event.preventDefault();
    const { providers } = settingsStore.getState();
    const wanted = name.trim();
    if (!/^[\w.-]+$/.test(wanted)) return setProblem("A name is letters, digits, dots and dashes.");
    if (Object.hasOwn(providers, wanted)) return setProblem("There is a provider of that name.");
    changeSettings({ providers: { ...providers, [wanted]: { kind: "openAi" } } });
    setName("");
    setProblem(undefined);
  };
  return (
    <form className="mb-2" onSubmit={add}>
      <div className="flex gap-1.5">
        <input
          className={`${CONTROL} h-[30px] text-sm`}
          aria-label="Name of another provider"
          aria-invalid={problem !== undefined || undefined}
          placeholder="Name, e.g. ollama"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" disabled={name.trim() === ""}>
          Add
        </Button>
      </div>
      {problem ? (
        <p className="mt-1 text-bad text-xs" role="status">
          {problem}
        </p>
      ) : null}
    </form>
  );
}
