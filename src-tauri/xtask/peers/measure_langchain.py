"""Measures how long LangChain's trim_messages takes on a long history, for comparison with Plait's own benchmark `trim`.

Usage: measure_langchain.py MESSAGES RUNS
The messages take 100 tokens each, counted beforehand, and all but the oldest fit: as in engine/benches/prompt.rs.
Prints one line of JSON. `cargo xtask bench --peers` installs langchain-core and runs this.
"""

import json
import statistics
import sys
import time
from importlib.metadata import version

from langchain_core.messages import AIMessage, HumanMessage, trim_messages

TOKENS = 100


def main():
    count, runs = int(sys.argv[1]), int(sys.argv[2])
    history = [(HumanMessage if at % 2 == 0 else AIMessage)(f"{at}", id=f"m{at}") for at in range(count)]
    room = (count - 1) * TOKENS
    times, complete = [], True
    for _ in range(runs + 1):
        start = time.perf_counter_ns()
        kept = trim_messages(
            history,
            max_tokens=room,
            # Counted once, like ours: each message is a lookup.
            token_counter=lambda messages: TOKENS * len(messages),
            strategy="last",
            start_on="human",
            include_system=True,
        )
        times.append(time.perf_counter_ns() - start)
        # A suffix that starts with a human message: the oldest turn is left out.
        complete = complete and len(kept) == count - 2
    print(
        json.dumps(
            {
                "peer": f"langchain-core {version('langchain-core')}",
                "shape": "trim",
                "journal": "none",
                "nodes": count,
                "nanoseconds": statistics.median(times[1:]),
                "complete": complete,
            }
        )
    )


main()
