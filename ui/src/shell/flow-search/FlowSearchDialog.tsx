import { useDeferredValue, useMemo, useState } from "react";
import { MenuGroup, MenuItem, MenuList } from "@/design/controls/Menu";
import { Dialog } from "@/design/dialogs/Dialog";
import { Icon } from "@/design/icons/Icon";
import { flowQuery, type NodeMatch, searchFlow, type TextPart } from "@/flow/search/flow-search";
import type { KnownFlow } from "@/flow/search/known-flows";
import { useNodeTypes, useOverlays, useWorkspace } from "@/workspace/context";
import { openMatch } from "./open-match";
import { TEXTS } from "./texts";
import { useKnownFlows } from "./useKnownFlows";

/** More rows would make typing slow. */
const MAX_LISTED_NODES = 200;

/** The search for nodes in all known flows. */
export function FlowSearchDialog() {
  const { overlays } = useWorkspace();
  const open = useOverlays((state) => state.flowSearch);
  return (
    <Dialog
      open={open}
      onClose={() => overlays.showFlowSearch(false)}
      place="list"
      testId="flow-search"
      className="w-[680px]"
      label={TEXTS.searchFlows}
    >
      {open ? <FlowSearch /> : null}
    </Dialog>
  );
}

type FlowMatches = { flow: KnownFlow; nodes: NodeMatch[] };

function FlowSearch() {
  const workspace = useWorkspace();
  const [typed, setTyped] = useState("");
  const search = useDeferredValue(typed.trim());
  const [wanted, setWanted] = useState(false);
  const known = useKnownFlows(wanted);
  const matches = useMatches(known.flows, search);
  const count = matches.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const choose = (flow: KnownFlow, match: NodeMatch) => {
    workspace.overlays.showFlowSearch(false);
    // Closing gives the focus back, which opening may move elsewhere.
    requestAnimationFrame(() => void openMatch(workspace, flow, match));
  };
  const onSearch = (text: string) => {
    setTyped(text);
    if (text.trim() !== "") setWanted(true);
  };
  const empty = search === "" ? TEXTS.whatIsSearched : known.isReading ? TEXTS.listing : TEXTS.noMatches;
  return (
    <>
      <MenuList
        label={TEXTS.searchFlows}
        placeholder={TEXTS.placeholder}
        empty={empty}
        onSearch={onSearch}
        typeAhead={workspace.overlays.typeAhead}
      >
        {firstOf(matches, MAX_LISTED_NODES).map(({ flow, nodes }) => (
          <MenuGroup key={keyOf(flow)} heading={<FlowHeading flow={flow} />}>
            {nodes.map((match) => (
              <MatchItem
                key={[...match.inside, match.node].join("/")}
                flow={flow}
                match={match}
                onChoose={() => choose(flow, match)}
              />
            ))}
          </MenuGroup>
        ))}
      </MenuList>
      {search === "" ? null : (
        <p
          className="flex flex-wrap gap-x-3 border-line border-t px-3 py-1.5 text-fg-2 text-xs"
          role="status"
          data-testid="flow-search-status"
        >
          <span>
            {count > MAX_LISTED_NODES ? TEXTS.firstOf(MAX_LISTED_NODES, count) : TEXTS.found(count, matches.length)}
          </span>
          {known.isReading ? <span>{TEXTS.reading(known.read, known.total)}</span> : null}
          {known.unreadable > 0 ? <span className="text-bad">{TEXTS.unreadable(known.unreadable)}</span> : null}
        </p>
      )}
    </>
  );
}

/** The nodes found in each flow. A flow that was searched already is not searched again as others are read. */
function useMatches(flows: readonly KnownFlow[], search: string): FlowMatches[] {
  const types = useNodeTypes((all) => all.byType);
  const searchOne = useMemo(() => {
    const query = flowQuery(search);
    const searched = new WeakMap<KnownFlow, NodeMatch[]>();
    return (known: KnownFlow) => {
      const nodes =
        searched.get(known) ?? (query ? searchFlow(known.flow, query, (type) => types.get(type)?.title ?? type) : []);
      searched.set(known, nodes);
      return nodes;
    };
  }, [search, types]);
  return useMemo(
    () => flows.map((flow) => ({ flow, nodes: searchOne(flow) })).filter(({ nodes }) => nodes.length > 0),
    [flows, searchOne],
  );
}

function firstOf(matches: readonly FlowMatches[], limit: number): FlowMatches[] {
  let left = limit;
  const first: FlowMatches[] = [];
  for (const { flow, nodes } of matches) {
    if (left <= 0) break;
    first.push({ flow, nodes: nodes.slice(0, left) });
    left -= nodes.length;
  }
  return first;
}

function keyOf({ source }: KnownFlow): string {
  return source.kind === "tab" ? source.key : source.kind === "file" ? source.path : source.id;
}

function FlowHeading({ flow }: { flow: KnownFlow }) {
  return (
    <span className="flex items-baseline gap-2 normal-case tracking-normal" data-testid="flow-search-flow">
      <span className="shrink-0 text-fg text-xs">{flow.name}</span>
      <span className="min-w-0 truncate font-normal text-xs" title={flow.path}>
        {flow.path ?? (flow.source.kind === "template" ? TEXTS.template : TEXTS.notSaved)}
      </span>
      {flow.source.kind === "tab" ? (
        <span className="ml-auto shrink-0 font-normal text-xs">{flow.isDirty ? TEXTS.openUnsaved : TEXTS.openTab}</span>
      ) : null}
    </span>
  );
}

type ItemProps = { flow: KnownFlow; match: NodeMatch; onChoose: () => void };

function MatchItem({ flow, match, onChoose }: ItemProps) {
  const { node, inside, type, title, typeTitle, excerpt } = match;
  const icon = useNodeTypes((types) => types.byType.get(type)?.icon);
  const path = [...inside, node].join("/");
  return (
    <MenuItem value={`${keyOf(flow)} ${path}`} testId={`flow-search-${path}`} onChoose={onChoose}>
      <Icon name={icon} className="shrink-0 self-start text-fg-3" />
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2">
          <span className="truncate">
            <Marked parts={title} />
          </span>
          {textOf(title) === textOf(typeTitle) ? null : (
            <span className="shrink-0 text-fg-2 text-xs">
              <Marked parts={typeTitle} />
            </span>
          )}
        </span>
        {excerpt ? (
          <span className="line-clamp-2 break-words text-fg-2 text-xs">
            {excerpt.field}: <Marked parts={excerpt.parts} />
          </span>
        ) : null}
      </span>
    </MenuItem>
  );
}

function textOf(parts: readonly TextPart[]): string {
  return parts.map(({ text }) => text).join("");
}

function Marked({ parts }: { parts: readonly TextPart[] }) {
  return parts.map(({ text, isMatch }, index) =>
    isMatch ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no identity but their order.
      <mark key={index} className="rounded-[2px] bg-wait/30 text-fg">
        {text}
      </mark>
    ) : (
      text
    ),
  );
}
