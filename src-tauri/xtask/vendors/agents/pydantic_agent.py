"""An agent of pydantic-ai with a tool and two turns of one conversation."""

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel

agent = Agent(OpenAIChatModel("scripted"), instructions="You are terse.")


@agent.tool_plain
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


first = agent.run_sync("What is 19 plus 23?")
print(first.output)
second = agent.run_sync("Say it once more.", message_history=first.all_messages())
print(second.output)
print(second.usage)
