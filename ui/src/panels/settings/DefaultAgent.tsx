import { CONTROL } from "@/design/controls/control";
import { useSettings, useWorkspace } from "@/workspace/context";
import { changeConfig } from "./config-values";
import { TEXTS } from "./texts";

const FIELDS = [
  { key: "agent.provider", label: TEXTS.agentProvider, placeholder: "offline" },
  { key: "agent.model", label: TEXTS.agentModel, placeholder: "echo" },
] as const;
const INSTRUCTIONS = "agent.instructions";

/** The agent of steps, new contexts and summaries that name none. */
export function DefaultAgent() {
  const config = useSettings((settings) => settings.config) ?? {};
  const { settings } = useWorkspace();
  const textOf = (key: string) => (typeof config[key] === "string" ? config[key] : "");
  const leave = (key: string, text: string) => {
    const value = text.trim();
    if (value !== textOf(key)) settings.change({ config: changeConfig(config, key, value === "" ? undefined : value) });
  };
  return (
    <>
      {FIELDS.map(({ key, label, placeholder }) => (
        <div key={key} data-setting={key} className="mb-2">
          <label htmlFor={key} className="mb-0.5 block text-fg-2 text-xs">
            {label}
          </label>
          <input
            // Resets the field to the stored value.
            key={textOf(key)}
            id={key}
            className={`${CONTROL} h-[28px] text-sm`}
            placeholder={placeholder}
            defaultValue={textOf(key)}
            onBlur={(event) => leave(key, event.target.value)}
          />
        </div>
      ))}
      <div data-setting={INSTRUCTIONS}>
        <label htmlFor={INSTRUCTIONS} className="mb-0.5 block text-fg-2 text-xs">
          {TEXTS.agentInstructions}
        </label>
        <textarea
          key={textOf(INSTRUCTIONS)}
          id={INSTRUCTIONS}
          className={`${CONTROL} field-sizing-content mb-1 max-h-60 min-h-14 resize-y text-sm`}
          rows={2}
          defaultValue={textOf(INSTRUCTIONS)}
          onBlur={(event) => leave(INSTRUCTIONS, event.target.value)}
        />
      </div>
      <p className="text-fg-3 text-xs">{TEXTS.defaultAgentHelp}</p>
    </>
  );
}
