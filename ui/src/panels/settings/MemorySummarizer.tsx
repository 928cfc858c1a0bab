import type { SummarizerSettings } from "@/bindings";
import { CONTROL } from "@/design/controls/control";
import { useSettings, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

const FIELDS: { key: keyof SummarizerSettings; label: string }[] = [
  { key: "provider", label: TEXTS.summarizerProvider },
  { key: "model", label: TEXTS.summarizerModel },
];

/** The model that summarizes a workflow's memory, where neither the node nor the flow sets one. */
export function MemorySummarizer() {
  const summarizer = useSettings((settings) => settings.summarizer) ?? {};
  const { settings } = useWorkspace();
  return (
    <>
      {FIELDS.map(({ key, label }) => (
        <div key={key} data-setting={key} className="mb-2">
          <label htmlFor={`summarizer-${key}`} className="mb-0.5 block text-fg-2 text-xs">
            {label}
          </label>
          <input
            // Resets the field to the stored value.
            key={summarizer[key]}
            id={`summarizer-${key}`}
            className={`${CONTROL} h-[28px] text-sm`}
            placeholder={TEXTS.summarizerDefault}
            defaultValue={summarizer[key] ?? ""}
            onBlur={(event) => {
              const value = event.target.value.trim();
              if (value === (summarizer[key] ?? "")) return;
              const { [key]: _, ...others } = summarizer;
              settings.change({ summarizer: value === "" ? others : { ...others, [key]: value } });
            }}
          />
        </div>
      ))}
      <p className="text-fg-3 text-xs">{TEXTS.summarizerHelp}</p>
    </>
  );
}
