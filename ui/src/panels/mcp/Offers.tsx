import type { ReactNode } from "react";
import type { McpServerDetails } from "@/bindings";
import { TEXTS } from "./texts";

/** The tools, resources and prompts of a server. */
export function Offers({ details }: { details: McpServerDetails }) {
  return (
    <div className="mt-2">
      <p className="text-fg-3 text-xs">
        {details.title}, {details.protocol}
      </p>
      <Section title={TEXTS.toolsTitle}>
        {details.tools.map((tool) => (
          <Item key={tool.name} name={tool.name} badge={tool.readOnly ? TEXTS.readOnly : undefined}>
            {tool.problem ? `${TEXTS.notOffered} ${tool.problem}` : tool.description}
          </Item>
        ))}
      </Section>
      <Section title={TEXTS.resources}>
        {details.resources.map((resource) => (
          <Item key={resource.uri} name={resource.uri}>
            {resource.name}
          </Item>
        ))}
      </Section>
      <Section title={TEXTS.prompts}>
        {details.prompts.map((prompt) => (
          <Item key={prompt.name} name={prompt.name}>
            {prompt.description}
          </Item>
        ))}
      </Section>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <details className="mt-1.5" open={title === TEXTS.toolsTitle}>
      <summary className="cursor-pointer font-semibold text-xs">
        {title} ({children.length})
      </summary>
      <ul aria-label={title}>{children}</ul>
    </details>
  );
}

function Item({ name, badge, children }: { name: string; badge?: string | undefined; children: string }) {
  return (
    <li className="mt-1 text-xs">
      <span className="break-all font-mono">{name}</span>
      {badge ? <span className="ml-1.5 rounded-sm bg-bg-3 px-1 text-2xs text-fg-2">{badge}</span> : null}
      <p className="whitespace-pre-wrap break-words text-fg-2">{children}</p>
    </li>
  );
}
