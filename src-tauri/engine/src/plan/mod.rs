//! From a flow to a plan: portals resolved, edges classified, cycles found, order fixed.
