import { type FormEvent, useId, useState } from "react";
import type { ProviderSettings } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { HostError } from "@/ipc";
import { useProviders, useWorkspace } from "@/workspace/context";
import { placeholderIn } from "./server-details";
import { TEXTS } from "./texts";

const OTHER: ProviderSettings = { kind: "openAi", baseUrl: "http://127.0.0.1:8000/v1" };

/**
 * Adds a known service with its settings, or names another server that speaks the OpenAI protocol. Where that one is, and which
 * protocol it speaks, is then set on its card.
 */
export function AddProvider() {
  const id = useId();
  const workspace = useWorkspace();
  const presets = useProviders((state) => state.presets);
  const [chosen, setChosen] = useState("");
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [problem, setProblem] = useState<string>();
  const preset = presets.find((one) => one.name === chosen);
  const placeholder = placeholderIn(preset?.settings.baseUrl ?? "");
  const choose = (next: string) => {
    setChosen(next);
    setName(next);
    setUrl(presets.find((one) => one.name === next)?.settings.baseUrl ?? "");
    setProblem(undefined);
  };
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const wanted = name.trim();
    if (!/^[\w.-]+$/.test(wanted)) return setProblem("Use letters, digits, dots, dashes and underscores.");
    if (Object.hasOwn(workspace.settings.current.providers, wanted)) {
      return setProblem("A provider with this name already exists.");
    }
    const settings = preset ? { ...preset.settings, ...(placeholder && { baseUrl: url.trim() }) } : OTHER;
    const left = placeholderIn(settings.baseUrl ?? "");
    if (left) return setProblem(TEXTS.replacePlaceholder(left));
    try {
      await workspace.providers.put(wanted, settings);
      choose("");
    } catch (thrown) {
      setProblem(HostError.from(thrown).message);
    }
  };
  return (
    <form className="mb-2" onSubmit={add}>
      {presets.length > 0 ? (
        <div className="mb-1.5">
          <label htmlFor={`${id}-preset`} className="mb-0.5 block text-fg-2 text-xs">
            {TEXTS.preset}
          </label>
          <select
            id={`${id}-preset`}
            className={`${CONTROL} h-[28px] text-sm`}
            value={chosen}
            onChange={(event) => choose(event.target.value)}
          >
            <option value="">{TEXTS.otherServer}</option>
            {presets.map((one) => (
              <option key={one.name} value={one.name}>
                {one.title}
              </option>
            ))}
          </select>
        </div>
      ) : null}
      {preset && placeholder ? (
        <input
          className={`${CONTROL} mb-1.5 h-[30px] text-sm`}
          aria-label={TEXTS.baseUrlOf(preset.title)}
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      ) : null}
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
      {preset?.note ? <p className="mt-1 text-fg-3 text-xs">{preset.note}</p> : null}
    </form>
  );
}
