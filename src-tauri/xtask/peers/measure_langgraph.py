"""Measures LangGraph on flows of trivial nodes, for comparison with Plait's own benchmarks.

Usage: measure_langgraph.py SHAPE NODES RUNS JOURNAL
  SHAPE    chain | fan-out | join | ladder
  JOURNAL  none | sqlite
Prints one line of JSON. `cargo xtask bench --peers` installs LangGraph and runs this.
"""

import json
import operator
import statistics
import sqlite3
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, TypedDict

from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    value: str
    gathered: Annotated[list, operator.add]


def evaluate(state):
    return {"gathered": [state["value"]]}


def build(shape, nodes):
    """A graph of exactly `nodes` nodes, or the next smaller number that closes a ladder's last diamond."""
    graph = StateGraph(State)
    count = nodes if shape != "ladder" else (nodes - 1) // 3 * 3 + 1
    for at in range(count):
        graph.add_node(f"n{at}", evaluate)
    graph.add_edge(START, "n0")
    if shape == "chain":
        for at in range(1, count):
            graph.add_edge(f"n{at - 1}", f"n{at}")
        graph.add_edge(f"n{count - 1}", END)
    elif shape == "fan-out":
        for at in range(1, count):
            graph.add_edge("n0", f"n{at}")
            graph.add_edge(f"n{at}", END)
    elif shape == "join":
        middle = [f"n{at}" for at in range(1, count - 1)]
        for name in middle:
            graph.add_edge("n0", name)
        graph.add_edge(middle, f"n{count - 1}")
        graph.add_edge(f"n{count - 1}", END)
    elif shape == "ladder":
        for top in range(0, count - 1, 3):
            left, right, below = f"n{top + 1}", f"n{top + 2}", f"n{top + 3}"
            graph.add_edge(f"n{top}", left)
            graph.add_edge(f"n{top}", right)
            graph.add_edge([left, right], below)
        graph.add_edge(f"n{count - 1}", END)
    else:
        sys.exit(f"there is no shape {shape!r}")
    return graph, count


def main():
    shape, nodes, runs, journal = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    graph, count = build(shape, nodes)
    with tempfile.TemporaryDirectory() as directory:
        saver = None
        if journal == "sqlite":
            from langgraph.checkpoint.sqlite import SqliteSaver

            saver = SqliteSaver(sqlite3.connect(Path(directory) / "journal.db", check_same_thread=False))
        compiled = graph.compile(checkpointer=saver)
        times, complete = [], True
        for run in range(runs + 1):
            config = {"recursion_limit": count + 10, "configurable": {"thread_id": str(run)}}
            start = time.perf_counter_ns()
            end = compiled.invoke({"value": "x", "gathered": []}, config)
            times.append(time.perf_counter_ns() - start)
            complete = complete and len(end["gathered"]) == count
    print(
        json.dumps(
            {
                "peer": f"LangGraph {version('langgraph')}",
                "shape": shape,
                "journal": journal,
                "nodes": count,
                # The first run warms up.
                "nanoseconds": statistics.median(times[1:]),
                "complete": complete,
            }
        )
    )


main()
