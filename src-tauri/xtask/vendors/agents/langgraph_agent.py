"""A graph of langgraph: a node with tools that goes around until the model answers, and a node that rewrites the answer."""

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


@tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


model = ChatOpenAI(model="scripted", temperature=0.3)
caller = model.bind_tools([add])


def answer(state: MessagesState):
    return {"messages": [caller.invoke(state["messages"])]}


def rewrite(state: MessagesState):
    text = state["messages"][-1].content
    return {"messages": [model.invoke([HumanMessage(f"Rewrite this in one line: {text}")])]}


graph = StateGraph(MessagesState)
graph.add_node("answer", answer)
graph.add_node("tools", ToolNode([add]))
graph.add_node("rewrite", rewrite)
graph.add_edge(START, "answer")
graph.add_conditional_edges("answer", tools_condition, {"tools": "tools", END: "rewrite"})
graph.add_edge("tools", "answer")
graph.add_edge("rewrite", END)
result = graph.compile().invoke({"messages": [HumanMessage("What is 19 plus 23?")]})
print(result["messages"][-1].content)
