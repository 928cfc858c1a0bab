-- The order of the trees: that of the turns of a conversation.
ALTER TABLE run_trees ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY;
-- The newest revision of the engine that drove it. A worker of an older one leaves it to others.
ALTER TABLE run_trees ADD COLUMN revision integer NOT NULL DEFAULT 0;
-- Whether its root has ended.
ALTER TABLE run_trees ADD COLUMN ended boolean NOT NULL DEFAULT false;
-- Until when somebody watches it: new records are announced.
ALTER TABLE run_trees ADD COLUMN watched_until timestamptz;

-- The records in the file of a conversation, byte for byte: concatenated by position they are the file.
CREATE TABLE conversations (
    id uuid PRIMARY KEY,
    -- The end of its records.
    size bigint NOT NULL
);

CREATE TABLE conversation_records (
    conversation uuid NOT NULL REFERENCES conversations ON DELETE CASCADE,
    position bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (conversation, position)
);

-- The conversation that the root of a tree continues. Its trees are driven one after the other.
ALTER TABLE run_trees ADD COLUMN conversation uuid REFERENCES conversations;

CREATE INDEX run_trees_turns ON run_trees (conversation, number) WHERE conversation IS NOT NULL AND NOT ended;

-- The replies that runs bought, for other runs of the same user.
CREATE TABLE bought_replies (
    root uuid NOT NULL REFERENCES run_trees ON DELETE CASCADE,
    -- The event that holds it, and the activation that asked.
    run uuid NOT NULL,
    seq bigint NOT NULL,
    activation text NOT NULL,
    user_name text NOT NULL,
    key text NOT NULL,
    -- The reply and its account, as JSON.
    reply text NOT NULL,
    PRIMARY KEY (run, seq)
);

CREATE INDEX bought_replies_key ON bought_replies (user_name, key, run, seq);
CREATE INDEX bought_replies_root ON bought_replies (root);

-- Who buys a reply right now, as long as it has the lease of its tree.
CREATE TABLE reply_claims (
    user_name text NOT NULL,
    key text NOT NULL,
    root uuid NOT NULL,
    epoch bigint NOT NULL,
    PRIMARY KEY (user_name, key)
);

-- The workers that are there.
CREATE TABLE workers (
    id uuid PRIMARY KEY,
    -- The revision of its engine.
    revision integer NOT NULL,
    seen_at timestamptz NOT NULL
);
