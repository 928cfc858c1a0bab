import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { useSettings, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** Further texts to redact: regular expressions, each with the name that replaces a match. The host checks them. */
export function RedactionPatterns() {
  const patterns = useSettings((settings) => settings.redaction?.patterns) ?? [];
  const { settings } = useWorkspace();
  const [name, setName] = useState("");
  const [regex, setRegex] = useState("");
  const put = (next: typeof patterns) => settings.change({ redaction: { patterns: next } });
  return (
    <fieldset aria-label={TEXTS.redaction}>
      {patterns.map((pattern, index) => (
        <div
          key={`${pattern.name} ${pattern.regex}`}
          className="mb-1 flex items-center gap-2 rounded-lg border border-line bg-bg-2 px-2 py-1 text-xs"
        >
          <span className="min-w-0 flex-1">
            {pattern.name === "" ? TEXTS.unnamedPattern : pattern.name}
            <code className="block break-all text-fg-3">{pattern.regex}</code>
          </span>
          <IconButton
            label={TEXTS.removePattern(pattern.name === "" ? pattern.regex : pattern.name)}
            icon={<Trash2 size={13} />}
            className="size-6"
            onClick={() => put(patterns.filter((_, other) => other !== index))}
          />
        </div>
      ))}
      <div className="flex flex-col gap-1">
        <input
          className={`${CONTROL} h-[28px] text-xs`}
          aria-label={TEXTS.patternName}
          placeholder="customer"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <input
          className={`${CONTROL} h-[28px] font-mono text-xs`}
          aria-label={TEXTS.patternRegex}
          placeholder="C-\d{6}"
          value={regex}
          onChange={(event) => setRegex(event.target.value)}
        />
        <Button
          className="self-start"
          disabled={regex === ""}
          onClick={() => {
            put([...patterns, { name: name.trim(), regex }]);
            setName("");
            setRegex("");
          }}
        >
          <Plus size={14} aria-hidden /> {TEXTS.addPattern}
        </Button>
      </div>
      <p className="mt-1 text-fg-3 text-xs">{TEXTS.redactionHelp}</p>
    </fieldset>
  );
}
