//! The error codes of the MCP server. Those of the crates below are here as well.

pub use plait_api::codes::*;

plait_core::error_codes! {
    "The MCP server" {
        AGENT_NOT_PERMITTED = "agent.not_permitted",
            "An agent asks for something that the person did not permit when the server was started.",
            "Start the server with `--allow`: `plait mcp serve --allow run --spend 1.00`, or `--allow propose`.";
        AGENT_NOT_A_FLOW = "agent.not_a_flow",
            "An agent names a file that is no flow.",
            "Flow files end in `.flow.json`, pipelines in `.yaml` or `.yml`. `list_flows` lists them.";
        AGENT_NOT_ITS_RUN = "agent.not_its_run",
            "An agent wants to answer or cancel a run that it did not begin.",
            "Do it in the window, or with `plait resume` and `plait cancel`.";
        AGENT_PERSON_DECIDES = "agent.person_decides",
            "An agent wants to answer a question that only the person may answer, such as the approval of a tool call.",
            "Answer it in the window, or with `plait resume`.";
        AGENT_SPENT = "agent.spent",
            "What agents may spend is spent, or reserved by runs that have not ended.",
            "Wait for these runs, lower `maxUsd`, or start the server with a higher `--spend`.";
        AGENT_NO_QUESTION = "agent.no_question",
            "The run asks no such question.",
            "`show_run` lists the questions of a run, with the node that asks.";
        AGENT_NO_EVENT = "agent.no_event",
            "The run has no such event, or the event no such value.",
            "`list_events` lists the events of a run.";
        AGENT_NO_NODE = "agent.no_node",
            "The run has no such node.",
            "`read_flow` names the nodes of a flow, `list_events` those of a run.";
        AGENT_ADDRESS = "agent.address",
            "The server cannot listen on its local address.",
            "Choose another port with `--http`, or none to let the system choose.";
        AGENT_PROTOCOL = "agent.protocol",
            "The client does not speak the protocol.",
            "Check that the client is an MCP client, and that it starts the server by its standard input and output.";
    }
}
