//! The error codes of the host. Those of the crates below are here as well.

pub use plait_api::codes::*;

plait_core::error_codes! {
    "Hosts" {
        HOST_ADDRESS = "host.address",
            "The host cannot listen on its address.",
            "Choose another address with `--listen`. Others than this machine reach the host only with `--tls-certificate` and `--tls-key`, or with `--plain-http` behind a proxy that encrypts.";
        HOST_AUDIT = "host.audit",
            "The host cannot write its audit log, so it does nothing.",
            "Make room on the disk, and see to it that the host may write `host/audit.jsonl` in its data directory.";
        HOST_BODY = "host.body",
            "The body of a request is not what the route takes.",
            "`/openapi.json` describes every route. Send JSON with `Content-Type: application/json`.";
        HOST_BUSY = "host.busy",
            "The host works on as many requests as it may.",
            "Send the request again later, or start the host with a higher `--max-requests`.";
        HOST_CALLBACK = "host.callback",
            "How a run stands cannot be reported to an address.",
            "Name an address that the host reaches. `plait tools hosts add` on the host allows one that is not public.";
        HOST_CALLBACK_FILE = "host.callback_file",
            "What is to be reported of a run cannot be read or written.",
            "Make room on the disk, and see to it that the host may read and write `host/callbacks` in its data directory.";
        HOST_CALLBACK_SECRET = "host.callback_secret",
            "The secret that callbacks are signed with cannot be read or made.",
            "See to it that the host may read and write `host/callback-secret` in its data directory.";
        HOST_CERTIFICATE = "host.certificate",
            "The certificate of the host or its key cannot be used.",
            "Name a certificate that is valid now, with its chain, and the key that it was requested with, both in PEM.";
        HOST_CLOSING = "host.closing",
            "The host ends. Runs that go on are continued when it starts again.",
            "Send the request again when the host is back. A run that was begun is in the list of runs.";
        HOST_FORBIDDEN = "host.forbidden",
            "The role of the token does not allow this.",
            "Use a token with a higher role: `plait-server tokens add --role ROLE`.";
        HOST_IDENTITY_PROVIDERS = "host.identity_providers",
            "The file with the identity providers cannot be read or written, so none of their tokens is let in.",
            "Restore `host/identity-providers.json` in the data directory from a backup, or remove it and add the identity providers again.";
        HOST_IDENTITY_PROVIDER_EXISTS = "host.identity_provider_exists",
            "There is an identity provider with this name, or one whose tokens are made for the same audience.",
            "Choose another name or audience, or remove the other one: `plait-server identities rm NAME`.";
        HOST_IDENTITY_PROVIDER_UNKNOWN = "host.identity_provider_unknown",
            "There is no such identity provider.",
            "`plait-server identities list` lists the identity providers.";
        HOST_MACHINE_ONLY = "host.machine_only",
            "The request reaches the machine of the host, which several tenants share: its programs, its network or its environment.",
            "Let who runs the host do it on the machine, with `plait` and the data directory of the tenant.";
        HOST_NEWER_WORKER = "host.newer_worker",
            "A run was driven by a newer revision of the engine than any worker has, so none of them goes on with it.",
            "Start a worker of that version or a newer one. It executes what the run was asked.";
        HOST_NOT_IN_DATABASE = "host.not_in_database",
            "The command needs the files of one machine, and what it is about is in the database of the host.",
            "Use a host with `--embedded`, or take the run to a data directory with `plait-server runs export`.";
        HOST_NOT_SERVED = "host.not_served",
            "The command needs a window or the files of a person, so no host executes it.",
            "Use it in the window.";
        HOST_OWN_RUNS = "host.own_runs",
            "The data directory of a worker has runs that the database does not have.",
            "Give the worker a data directory without runs, or move them with `plait-server runs import`.";
        HOST_PATH = "host.path",
            "A request names a file outside of the folder with the flows of the host.",
            "Name a file in that folder, relative to it.";
        HOST_RATE = "host.rate",
            "The token has sent as many requests in a minute as it may.",
            "Wait as long as the header `Retry-After` says, or start the host with a higher `--requests-per-minute`.";
        HOST_RESTATE = "host.restate",
            "Restate does not take what runs are asked. It is stored, and sent when Restate takes it.",
            "Check that Restate runs, that `--restate` is the address of its ingress, and that the workers are registered with it.";
        HOST_RESTATE_KEY = "host.restate_key",
            "A key that Restate is to sign its requests with cannot be read.",
            "Give the worker the public key that Restate prints when it starts, which begins with `publickeyv1_`.";
        HOST_ROUTE = "host.route",
            "The host has no such address, or not with this method.",
            "`/openapi.json` describes every route.";
        HOST_RUNS = "host.runs",
            "As many runs of the token are at work as may be at once.",
            "Send the request again when one of them has ended or waits for a person, or start the host with a higher `--runs-per-token`.";
        HOST_SLOW = "host.slow",
            "The body of a request did not arrive in time.",
            "Send the request again, over a better connection.";
        HOST_STOPPED = "host.stopped",
            "A run stopped before its end.",
            "A worker goes on with it when its lease expires. The worker's messages say why it stopped.";
        HOST_TENANTS = "host.tenants",
            "The folder with the tenants cannot be read or written.",
            "See to it that the host may read and write the folder `tenants` in its data directory.";
        HOST_TENANT_EXISTS = "host.tenant_exists",
            "There is a tenant of this name already.",
            "Choose another name, or give it tokens: `plait-server tokens add --tenant NAME`.";
        HOST_TENANT_UNKNOWN = "host.tenant_unknown",
            "There is no such tenant.",
            "On the machine of the host, `plait-server tenants list` lists the tenants, and `plait-server tenants add` adds one.";
        HOST_TOKENS = "host.tokens",
            "The file with the tokens cannot be read or written, so nobody is let in.",
            "Restore `host/tokens.json` in the data directory from a backup, or remove it and add the tokens again.";
        HOST_TOKEN_EXPIRY = "host.token_expiry",
            "The time after which a token expires cannot be read.",
            "Write a number with a unit, such as `30d`, `12h` or `90m`.";
        HOST_TOKEN_NAME = "host.token_name",
            "A token needs a name, which no other token has.",
            "Choose another name of at most 60 characters: it stands in the audit log.";
        HOST_TOKEN_UNKNOWN = "host.token_unknown",
            "There is no such token.",
            "`plait-server tokens list` lists the tokens.";
        HOST_TOO_LARGE = "host.too_large",
            "The body of a request is larger than the host takes.",
            "Send less, or start the host with a higher `--max-body`.";
    }

    "Published flows" {
        PUBLISHED_BAD_NAME = "published.bad_name",
            "The name of a published flow is none that an address can have.",
            "Use small letters, digits, `-`, `_` and `.`, at most 64 of them, and begin with a letter or a digit.";
        PUBLISHED_BAD_SCHEDULE = "published.bad_schedule",
            "The schedule of a published flow cannot be read, or its time never comes.",
            "Write five fields, such as `0 9 * * 1-5` for each working day at nine, and a time zone such as `Europe/Paris`.";
        PUBLISHED_DAMAGED = "published.damaged",
            "The file of a published flow cannot be read or written.",
            "Publish the flow again, or restore the folder `published` in the data directory from a backup.";
    }

    "Chat completions" {
        CHAT_MESSAGES = "chat.messages",
            "The messages of a request make no conversation that the flow can continue.",
            "Send messages of the user and the assistant with text, the last one by the user.";
        CHAT_NO_INPUT = "chat.no_input",
            "The flow takes no message: it has no `manualInput` node and does not ask with a `userInput` node.",
            "Add one of them to the flow and publish it again.";
        CHAT_NO_REPLY = "chat.no_reply",
            "The run ended without a reply: the context `main` has no new message, and no `output` node has a value.",
            "Look at the run, and let the flow reply in the context `main` or with an `output` node.";
        CHAT_REPLY_CHANGED = "chat.reply_changed",
            "The reply of the flow does not begin with the text that was streamed: a call was repeated.",
            "Send the request again, or without `stream`.";
        CHAT_UNSUPPORTED = "chat.unsupported",
            "A request asks for something that a published flow decides itself.",
            "Leave it out: instructions, tools and the form of the reply are set in the flow.";
        CHAT_WAITS = "chat.waits",
            "The run waits for a decision that no message can be: an approval, or the question of a tool.",
            "Decide it in the window or with `run.answer`, and look at the run for the reply.";
    }
}
