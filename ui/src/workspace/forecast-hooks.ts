/** Hooks for the forecast of the displayed flow. */
import { useStore } from "zustand";
import type { FlowForecast, NodeForecast, NodeId } from "@/bindings";
import { useWorkspace } from "./context";

/** What becomes of the prompts of a node. */
export function useForecast(node: NodeId): NodeForecast | undefined {
  const { forecasts } = useWorkspace();
  return useStore(forecasts.store, (forecasted) => forecasts.of(node, forecasted));
}

/** The forecast of the whole flow. */
export function useFlowForecast(): FlowForecast | undefined {
  return useStore(useWorkspace().forecasts.store, ({ forecast }) => forecast);
}
