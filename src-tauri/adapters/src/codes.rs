//! The error codes of providers, tools, keys and knowledge. Those of the crates below are here as well.

pub use plait_run::codes::*;
pub use plait_store::codes::*;

plait_core::error_codes! {
    "Node configuration" {
        SETTINGS_HOLDS_SECRET = "settings.holds_secret",
            "A setting holds a key or a token. Settings are stored as plain text.",
            "Enter keys in the field for the key of the provider, or with `plait keys set`.";
        SETTINGS_REDACTION = "settings.redaction",
            "A pattern for secrets cannot be used.",
            "Correct the regular expression in the settings, or remove it. The other patterns are used.";
        SETTINGS_TELEMETRY = "settings.telemetry",
            "The settings of the OpenTelemetry export are invalid.",
            "Name an environment variable that holds the headers as `name=value,name=value`.";
        SETTINGS_TOOLS = "settings.tools",
            "An allowed host or a secret for tools is invalid.",
            "Write hosts like `localhost:8080`, origins like `https://api.github.com`.";
    }

    "Expressions" {
        EXPRESSION_LIMIT = "expression.limit",
            "An expression took too much time or memory and was stopped.",
            "Select less, shorten lists and texts first, or split the work over several nodes.";
    }

    "Hosts of other machines" {
        HOSTS_BAD_ADDRESS = "hosts.bad_address",
            "A text is not the address of a host, or that of one that would be reached without encryption.",
            "Write it like `https://plait.example.com`. `http://` is for a host on this machine.";
        HOSTS_BAD_NAME = "hosts.bad_name",
            "A host in the list cannot have this name.",
            "Use letters, digits, `-`, `_` and `.`, at most 60 of them.";
        HOSTS_NO_TOKEN = "hosts.no_token",
            "There is no token for a host at its address.",
            "Add the host again with `plait hosts add`, and enter a token that `plait-server tokens add` gave.";
        HOSTS_OTHER_SERVER = "hosts.other_server",
            "What answers at the address of a host is something else.",
            "Check the address with `plait hosts list`, and whether a proxy answers in place of the host.";
        HOSTS_UNKNOWN = "hosts.unknown",
            "There is no host with this name in the list.",
            "`plait hosts list` lists the hosts, `plait hosts add` adds one.";
        HOSTS_UNREACHABLE = "hosts.unreachable",
            "A host does not answer.",
            "Check its address and the connection. What it had begun goes on there.";
        HOSTS_UNREADABLE = "hosts.unreadable",
            "The list of hosts cannot be read or written.",
            "Correct `hosts.json` in the data directory, or remove it and add the hosts again.";
    }

    "Identity providers" {
        OPENID_ISSUER = "openid.issuer",
            "An address is not that of an identity provider.",
            "Write it as its tokens do in `iss`, such as https://login.example.com.";
        OPENID_REFUSED = "openid.refused",
            "A token was not made by the identity provider for this host, or is not in force.",
            "Ask the identity provider for another token.";
        OPENID_UNREACHABLE = "openid.unreachable",
            "The keys of an identity provider cannot be read.",
            "Check its address, and whether this machine reaches it.";
    }

    "Keys" {
        KEYS_BAD_KEY = "keys.bad_key",
            "The key contains characters that no key has.",
            "Look for spaces, quotes or line ends copied along.";
        KEYS_DAMAGED = "keys.damaged",
            "The file of stored keys is damaged.",
            "Delete the file and enter the keys again.";
        KEYS_KEYCHAIN_FAILED = "keys.keychain_failed",
            "The system keychain returned an error.",
            "Give the key in the environment or for the session.";
        KEYS_NEWER = "keys.newer",
            "A newer version of Plait wrote the file of stored keys.",
            "Update Plait.";
        KEYS_NOWHERE = "keys.nowhere",
            "Keys cannot be stored on this machine.",
            "Give the key for the session, or in the environment.";
        KEYS_SECRET_MISSING = "keys.secret_missing",
            "The file that unlocks the stored keys is missing.",
            "Restore it from a copy, or enter the keys again.";
        KEYS_UNREADABLE = "keys.unreadable",
            "The file of stored keys cannot be read.",
            "Check its permissions.";
        KEYS_UNWRITABLE = "keys.unwritable",
            "The file of stored keys cannot be written.",
            "Check the disk and the permissions, or give the key for the session.";
        KEYS_WRONG_PASSPHRASE = "keys.wrong_passphrase",
            "The passphrase is wrong, or the file of stored keys was changed.",
            "Set the right PLAIT_KEYS_PASSPHRASE.";
    }

    "Knowledge bases" {
        KNOWLEDGE_BAD_FILE = "knowledge.bad_file",
            "A file of a knowledge base cannot be read as what its name says.",
            "Open the file in its own program and save it again, or take it out of the folder. The other files are indexed.";
        KNOWLEDGE_DAMAGED = "knowledge.damaged",
            "The definition of a knowledge base cannot be read.",
            "Remove the knowledge base and add it again. Its files are not touched.";
        KNOWLEDGE_EMBEDDINGS = "knowledge.embeddings",
            "The embeddings of a text could not be computed.",
            "Check the provider and the model of the knowledge base. Until then the search goes by words alone.";
        KNOWLEDGE_EXISTS = "knowledge.exists",
            "There is already a knowledge base of this name.",
            "Choose another name, or remove the other one first.";
        KNOWLEDGE_INDEX = "knowledge.index",
            "The index of a knowledge base cannot be written or read.",
            "Check that there is room on the disk, then index the knowledge base again.";
        KNOWLEDGE_NAME = "knowledge.name",
            "The name of a knowledge base is empty, too long, or holds characters that it may not.",
            "Use letters, digits, spaces, `-`, `_` and `.`, 64 characters at most.";
        KNOWLEDGE_NO_FOLDER = "knowledge.no_folder",
            "The folder of a knowledge base cannot be opened.",
            "Check that it exists. A folder of a flow is relative to the flow's file, so save the flow first.";
        KNOWLEDGE_OUTSIDE = "knowledge.outside",
            "A folder that a flow searches, or a source, lies outside of where it must be.",
            "Give a folder in the flow's project, or add the folder as a knowledge base by its name.";
        KNOWLEDGE_SOURCE = "knowledge.source",
            "The source of a passage cannot be read any more.",
            "The file was changed, moved or removed after it was indexed. Index the knowledge base again.";
        KNOWLEDGE_STOPPED = "knowledge.stopped",
            "Indexing was stopped.",
            "Index the knowledge base again when you want it. What was indexed so far is kept.";
        KNOWLEDGE_TOO_LARGE = "knowledge.too_large",
            "A knowledge base has more files, or more text, than can be indexed.",
            "Choose a folder further down, or leave out files with a `.gitignore` or `.ignore` file.";
        KNOWLEDGE_UNSAFE_FOLDER = "knowledge.unsafe_folder",
            "The folder holds more than documents: a home directory, the root of a file system, or Plait's own data.",
            "Choose a folder further down that holds the documents only.";
    }

    "MCP servers" {
        MCP_BACKING_OFF = "mcp.backing_off",
            "The MCP server failed several times, and is not started again for a while.",
            "Read its log under *MCP servers* or with `plait mcp log NAME`, correct its entry, then connect it.";
        MCP_CANNOT_START = "mcp.cannot_start",
            "The command of an MCP server cannot be started.",
            "Check that the program is installed and that the command in the server's entry is right.";
        MCP_ENDED = "mcp.ended",
            "The MCP server ended before it answered.",
            "Read its log under *MCP servers* or with `plait mcp log NAME`. It is started again when it is needed.";
        MCP_ENTRY_INVALID = "mcp.entry_invalid",
            "The entry of an MCP server is invalid.",
            "Give a `command` with `args` and `env`, or a `url` with `headers`.";
        MCP_INVALID_MESSAGE = "mcp.invalid_message",
            "The MCP server sent what is no message of the protocol.",
            "Read its log under *MCP servers* or with `plait mcp log NAME`. Servers must write nothing but messages to their standard output.";
        MCP_NO_HANDSHAKE = "mcp.no_handshake",
            "The MCP server did not complete the handshake.",
            "Check that the entry starts an MCP server, and read its log with `plait mcp log NAME`.";
        MCP_NO_VARIABLE = "mcp.no_variable",
            "The entry of an MCP server names a variable of the environment that is not set.",
            "Set the variable before Plait starts, or enter the value in the server's entry.";
        MCP_REFUSED = "mcp.refused",
            "The MCP server refused the request.",
            "The message is the server's own. Check the arguments.";
        MCP_SERVER_EXISTS = "mcp.server_exists",
            "There is an MCP server of this name already.",
            "Choose another name, or replace the server.";
        MCP_TIMEOUT = "mcp.timeout",
            "The MCP server did not answer in time.",
            "Raise the timeout of the tool, or read the server's log.";
        MCP_TOOL_FAILED = "mcp.tool_failed",
            "The tool of an MCP server reports an error.",
            "The model sees this error. The message is the tool's own.";
        MCP_TOO_LARGE = "mcp.too_large",
            "A message of the MCP server is too large.",
            "Ask the tool for less.";
        MCP_TOO_MANY_TOOLS = "mcp.too_many_tools",
            "The MCP server lists more tools than a flow can use.",
            "Use a server with fewer tools.";
        MCP_TOOLS_CHANGED = "mcp.tools_changed",
            "The tools of an MCP server are not those that were accepted.",
            "Look at what changed under *MCP servers* or with `plait mcp tools NAME`, then accept it or remove the server.";
        MCP_UNAUTHORIZED = "mcp.unauthorized",
            "The MCP server refuses the request without, or with this, authorization.",
            "Check the `headers` of the server's entry.";
        MCP_UNCLEAR_REQUEST = "mcp.unclear_request",
            "An MCP server asked something during several calls, and did not say during which.",
            "Call it again: from then on its calls are made one at a time.";
        MCP_UNREACHABLE = "mcp.unreachable",
            "The MCP server cannot be reached.",
            "Check its URL and that it runs.";
    }

    "Providers" {
        PROVIDER_CONTENT_FILTERED = "provider.content_filtered",
            "The server's content filter stopped the reply.",
            "Rephrase the message, or use another model.";
        PROVIDER_CUT_SHORT = "provider.cut_short",
            "The connection closed before the reply was complete.",
            "Try again.";
        PROVIDER_INVALID_RESPONSE = "provider.invalid_response",
            "The server's response does not follow its protocol.",
            "Check that the base URL and the kind of the provider match the server.";
    }

    "OpenTelemetry" {
        TELEMETRY_BAD_ENDPOINT = "telemetry.bad_endpoint",
            "The OpenTelemetry endpoint is no HTTP URL, or contains a password.",
            "Use a URL like `http://127.0.0.1:4318`. Headers with keys belong into an environment variable.";
        TELEMETRY_EXPORT_FAILED = "telemetry.export_failed",
            "Spans could not be sent to the OpenTelemetry endpoint. The run is not affected.",
            "Check that a collector with OTLP over HTTP listens there, then export the run again: its spans keep their ids.";
        TELEMETRY_NO_ENDPOINT = "telemetry.no_endpoint",
            "There is no endpoint to send spans to.",
            "Name one with `--endpoint` or in the settings, or write the spans to a file with `--file`.";
    }

    "Tools" {
        TOOL_ADDRESS_REFUSED = "tool.address_refused",
            "The address is private, local or of the machine's own network, and the person has not allowed it.",
            "If the server is meant, allow its host in the settings or with `--allow host=NAME`.";
        TOOL_BAD_EXPRESSION = "tool.bad_expression",
            "The expression for the calculator cannot be parsed.",
            "Write it like `2 * (3 + 4)^2`.";
        TOOL_CODE_FAILED = "tool.code_failed",
            "The program ended with an error.",
            "The message says what and in which line; correct the program.";
        TOOL_CODE_LIMIT = "tool.code_limit",
            "The program took too much time or memory, or its result is too large.",
            "Let it do less, or split the work.";
        TOOL_HARD_LINK = "tool.hard_link",
            "The file is a hard link, whose other name may be outside of the folder.",
            "Replace the link by a copy of the file.";
        TOOL_HTTP_STATUS = "tool.http_status",
            "The server answered a request with an error.",
            "The details have the status and the beginning of the answer.";
        TOOL_NO_FOLDER = "tool.no_folder",
            "The flow was never saved, so it has no folder to read files from.",
            "Save the flow first.";
        TOOL_NO_RESULT = "tool.no_result",
            "The tool has no result for these arguments.",
            "Look for a division by zero or a huge number.";
        TOOL_NO_SECRET = "tool.no_secret",
            "A header names a secret that the settings do not allow for this server, or that is not set.",
            "Add it to the secrets for tools in the settings, with the host it may be sent to.";
        TOOL_NOT_TEXT = "tool.not_text",
            "The file or the answer of a server is not UTF-8 text.",
            "Choose a text file, or another address.";
        TOOL_OUTSIDE_FOLDER = "tool.outside_folder",
            "The path leads out of the flow's folder.",
            "Give a path in the folder of the flow.";
        TOOL_PROTECTED_FILE = "tool.protected_file",
            "Files that programs act on are not written: hidden ones, whose name begins with a dot, and flows, also under other names.",
            "Choose another name.";
        TOOL_READ_ONLY_FOLDER = "tool.read_only_folder",
            "The flow declares no folder that this file may be written in.",
            "Declare the folder in the flow's settings, with writing allowed.";
        TOOL_REDIRECTED = "tool.redirected",
            "The server redirects the request to where it may not go: too often, to an unencrypted address, or with a body.",
            "Use the URL that the server names.";
        TOOL_REQUEST_FAILED = "tool.request_failed",
            "The server of a request could not be reached, or did not answer.",
            "Check the URL and the network, then try again.";
        TOOL_SECRET_FILE = "tool.secret_file",
            "The file holds secrets by its name.",
            "Put what the model may know into a file of another name.";
        TOOL_UNREADABLE = "tool.unreadable",
            "The file cannot be read.",
            "Check its permissions, and that it is a regular file.";
        TOOL_UNSAFE_FOLDER = "tool.unsafe_folder",
            "The flow is in a home directory, at the root of a file system or in the data directory of Plait.",
            "Move the flow and the files it reads into a folder of their own.";
        TOOL_UNWRITABLE = "tool.unwritable",
            "The file cannot be written.",
            "Check the permissions of its folder, and the space on the disk.";
        TOOL_WORKER_UNAVAILABLE = "tool.worker_unavailable",
            "The worker process that a tool needs could not be started.",
            "Check that the machine has memory left, then try again.";
    }
}
