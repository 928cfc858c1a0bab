import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

export type Tab = {
  id: string;
  label: string;
  /** A small number behind the label. */
  count?: number;
  content: ReactNode;
};

type Props = {
  /** What the tabs are about, for screen readers. */
  label: string;
  tabs: readonly Tab[];
  value: string;
  onChange: (id: string) => void;
  /** Prefix of the tabs' test ids. */
  testId: string;
  /** Content at the right end of the row. */
  end?: ReactNode;
};

/** Tabs over panels. Only the shown panel is in the page. */
export function Tabs({ label, tabs, value, onChange, testId, end }: Props) {
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(String(next))} className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 items-center border-line border-b pr-2">
        <Base.List aria-label={label} className="flex min-w-0 flex-1 gap-0.5 overflow-x-auto px-2.5" activateOnFocus>
          {tabs.map((tab) => (
            <Base.Tab key={tab.id} value={tab.id} className="tab" data-testid={`${testId}-${tab.id}`}>
              {tab.label}
              {tab.count ? <span className="ml-1 font-normal text-fg-3">{tab.count}</span> : null}
            </Base.Tab>
          ))}
        </Base.List>
        {end}
      </div>
      {tabs.map((tab) => (
        <Base.Panel key={tab.id} value={tab.id} className="relative min-h-0 flex-1 overflow-hidden">
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
