import type { Origins } from "@/bindings";
import type { OriginKind } from "@/bindings/constants";
import { isUntrusted, parseOrigin } from "@/run/nodes/origins";
import { TEXTS } from "./texts";

const NAMES: Record<OriginKind, string> = {
  person: TEXTS.originPerson,
  model: TEXTS.originModel,
  file: TEXTS.originFile,
  attachment: TEXTS.originAttachment,
  host: TEXTS.originHost,
  mcp: TEXTS.originMcp,
  knowledge: TEXTS.originKnowledge,
  conversation: TEXTS.originConversation,
};

/** Where something comes from, one chip for each place. Nothing if it comes from the flow alone. */
export function OriginChips({ origins }: { origins: Origins | undefined }) {
  if (!origins?.length) return null;
  return (
    <ul className="mt-1 flex flex-wrap gap-1" aria-label={TEXTS.comesFrom} data-testid="origins">
      {origins.map((text) => {
        const origin = parseOrigin(text);
        const untrusted = isUntrusted(origin);
        const place = origin.place === "*" ? TEXTS.originMore : origin.place;
        return (
          <li
            key={text}
            data-untrusted={untrusted || undefined}
            className="origin-chip max-w-full truncate rounded-[4px] border border-line px-1.5 text-fg-2 text-xs"
            title={untrusted ? TEXTS.untrustedHint : TEXTS.comesFrom}
          >
            {NAMES[origin.kind] ?? origin.kind}
            {place ? ` ${place}` : ""}
          </li>
        );
      })}
    </ul>
  );
}
