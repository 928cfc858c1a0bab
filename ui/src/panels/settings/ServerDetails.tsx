import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import type { ProviderSettings } from "@/bindings";
import { CONTROL } from "@/design/controls/control";
import { ChoiceField, TextField } from "./ProviderFields";
import {
  changeQuirk,
  changeReasoningTags,
  formatQuery,
  parseQuery,
  QUIRKS,
  quirkValue,
  REASONING_TAGS,
  setText,
} from "./server-details";
import { TEXTS } from "./texts";

type Props = { settings: ProviderSettings; onChange: (next: ProviderSettings) => void };

/** How a server differs from what its protocol expects. Folded, because most servers don't. */
export function ServerDetails({ settings, onChange }: Props) {
  const id = useId();
  const [open, setOpen] = useState(false);
  return (
    <div className="mb-2">
      <button
        type="button"
        className="flex items-center gap-1 rounded text-fg-2 text-xs hover:text-fg-1"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight size={12} aria-hidden className={open ? "rotate-90" : ""} />
        {TEXTS.serverDetails}
      </button>
      {open ? (
        <div id={id} className="mt-1.5">
          <Fields settings={settings} onChange={onChange} />
        </div>
      ) : null}
    </div>
  );
}

function Fields({ settings, onChange }: Props) {
  const id = useId();
  const [badQuery, setBadQuery] = useState(false);
  const text = (key: "keyHeader" | "keyOf", label: string, placeholder: string) => (
    <TextField
      label={label}
      value={settings[key]}
      placeholder={placeholder}
      onLeave={(typed) => {
        if (typed.trim() !== (settings[key] ?? "")) onChange(setText(settings, key, typed));
      }}
    />
  );
  const leaveQuery = (typed: string) => {
    const query = parseQuery(typed);
    setBadQuery(query === undefined);
    if (!query || formatQuery(query) === formatQuery(settings.query)) return;
    const { query: _, ...others } = settings;
    onChange(Object.keys(query).length === 0 ? others : { ...others, query });
  };
  return (
    <>
      {text("keyHeader", TEXTS.keyHeader, TEXTS.protocolDefault)}
      {text("keyOf", TEXTS.keyOf, TEXTS.none)}
      <div className="mb-2">
        <label htmlFor={`${id}-query`} className="mb-0.5 block text-fg-2 text-xs">
          {TEXTS.queryParameters}
        </label>
        <textarea
          key={formatQuery(settings.query)}
          id={`${id}-query`}
          className={`${CONTROL} min-h-[28px] text-sm`}
          rows={Math.max(1, Object.keys(settings.query ?? {}).length)}
          placeholder="api-version=2024-10-21"
          defaultValue={formatQuery(settings.query)}
          aria-invalid={badQuery || undefined}
          onBlur={(event) => leaveQuery(event.target.value)}
        />
        {badQuery ? (
          <p className="mt-0.5 text-bad text-xs" role="status">
            {TEXTS.badQuery}
          </p>
        ) : null}
      </div>
      <ChoiceField
        label={TEXTS.reasoningTags}
        value={settings.reasoningTags === undefined ? "" : String(settings.reasoningTags)}
        choices={REASONING_TAGS}
        onChange={(value) => onChange(changeReasoningTags(settings, value))}
      />
      {settings.kind === "openAi"
        ? QUIRKS.map((quirk) => (
            <ChoiceField
              key={quirk.key}
              label={quirk.label}
              value={quirkValue(settings, quirk.key)}
              choices={[["", TEXTS.byDefault(quirk.byDefault)], ...quirk.choices]}
              onChange={(value) => onChange(changeQuirk(settings, quirk.key, value))}
            />
          ))
        : null}
    </>
  );
}
