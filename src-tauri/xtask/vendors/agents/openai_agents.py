"""Two agents of openai-agents: the first calls a tool and answers, the second gets its answer. Streams its second run."""

import asyncio

from agents import Agent, Runner, function_tool, set_tracing_disabled

set_tracing_disabled(True)


@function_tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


async def main():
    clerk = Agent(name="Clerk", instructions="You add numbers with the tool.", model="scripted", tools=[add])
    poet = Agent(name="Poet", instructions="You write short lines.", model="scripted")
    sum_of = await Runner.run(clerk, "What is 19 plus 23?")
    print(sum_of.final_output)
    streamed = Runner.run_streamed(poet, f"Write a line about this: {sum_of.final_output}")
    async for event in streamed.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            print(event.data.delta, end="|")
    print()
    print(streamed.final_output)


asyncio.run(main())
