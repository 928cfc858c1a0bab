import { Trash2 } from "lucide-react";
import { changeSettings, settingsStore } from "@/app/settings";
import type { ProviderSettings } from "@/bindings";
import { CONTROL } from "@/inspector/fields/props";
import { IconButton } from "@/look/Button";

const FIELDS: { key: "baseUrl" | "keyEnv"; label: string; placeholder: string }[] = [
  { key: "baseUrl", label: "Base URL, up to and including /v1", placeholder: "http://localhost:11434/v1" },
  { key: "keyEnv", label: "Environment variable that holds the key", placeholder: "None: it takes no key" },
];

/** Where one provider is, and which environment variable holds its key. */
export function ProviderFields({ name, settings }: { name: string; settings: ProviderSettings }) {
  const change = (key: "baseUrl" | "keyEnv", value: string) => {
    const next = { ...settings, [key]: value.trim() };
    if (value.trim() === "") delete next[key];
    const { providers } = settingsStore.getState();
    if (next[key] !== settings[key]) changeSettings({ providers: { ...providers, [name]: next } });
  };
  const remove = () => {
    const { [name]: _, ...providers } = settingsStore.getState().providers;
    changeSettings({ providers });
  };
  return (
    <fieldset className="relative mb-3 rounded-lg border border-line p-2.5">
      <legend className="px-1 font-medium text-sm">{name}</legend>
      {FIELDS.map(({ key, label, placeholder }) => (
        <div key={key} className="mb-2 last:mb-0">
          <label htmlFor={`${name}-${key}`} className="mb-0.5 block text-fg-2 text-xs">
            {label}
          </label>
          <input
            id={`${name}-${key}`}
            className={`${CONTROL} h-[28px] text-sm`}
            placeholder={placeholder}
            defaultValue={settings[key] ?? ""}
            onBlur={(event) => change(key, event.target.value)}
          />
        </div>
      ))}
      <IconButton
        label={`Remove the provider ${name}`}
        className="absolute top-0 right-1 size-6"
        icon={<Trash2 size={13} />}
        onClick={remove}
      />
    </fieldset>
  );
}
