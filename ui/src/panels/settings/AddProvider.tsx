import { type FormEvent, useState } from "react";
import { Button } from "@/design/Button";
import { CONTROL } from "@/design/control";
import { HostError } from "@/ipc";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

const START_URL = "http://127.0.0.1:8000/v1";

/** Names another server that speaks the OpenAI protocol. Where it is, and which protocol it speaks, is then set on its card. */
export function AddProvider() {
  const workspace = useWorkspace();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const wanted = name.trim();
    if (!/^[\w.-]+$/.test(wanted)) return setProblem("Use letters, digits, dots, dashes and underscores.");
    if (Object.hasOwn(workspace.settings.current.providers, wanted)) {
      return setProblem("A provider with this name already exists.");
    }
    try {
      await workspace.providers.put(wanted, { kind: "openAi", baseUrl: START_URL });
      setName("");
      setProblem(undefined);
    } catch (thrown) {
      setProblem(HostError.from(thrown).message);
    }
  };
  return (
    <form className="mb-2" onSubmit={add}>
      <div className="flex gap-1.5">
        <input
          className={`${CONTROL} h-[30px] text-sm`}
          aria-label={TEXTS.providerName}
          aria-invalid={problem !== undefined || undefined}
          placeholder={TEXTS.providerName}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" disabled={name.trim() === ""}>
          {TEXTS.add}
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
