-- A run tree: one row for the root and the child runs below it.
CREATE TABLE run_trees (
    root uuid PRIMARY KEY,
    -- Counts the leases. The records are written under the newest alone.
    epoch bigint NOT NULL DEFAULT 0,
    -- The process that has the lease, and until when no other takes it.
    worker uuid,
    leased_until timestamptz,
    -- Whether it can go on without a person.
    goes_on boolean NOT NULL,
    -- How many requests wait to be executed.
    requests integer NOT NULL DEFAULT 0,
    -- The end of its records.
    size bigint NOT NULL DEFAULT 0,
    -- How it stood when it came to rest. NULL before, and while it goes on.
    state text,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX run_trees_due ON run_trees (created_at) WHERE goes_on OR requests > 0;

-- The records in the file of a tree, byte for byte: concatenated by position they are the file.
CREATE TABLE run_records (
    root uuid NOT NULL REFERENCES run_trees ON DELETE CASCADE,
    -- Where it begins in the file.
    position bigint NOT NULL,
    -- 0: the header of the file. 1: entries of a journal. 2: a large value, which begins with its hash. Others are of compressed files.
    kind smallint NOT NULL,
    -- The run that it belongs to, the number of its first entry, and how many entries it has.
    run uuid NOT NULL,
    seq bigint NOT NULL,
    count integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (root, position)
);

-- The tree of a child run.
CREATE INDEX run_records_first ON run_records (run) WHERE kind = 1 AND seq = 0;

-- The flows as they ran.
CREATE TABLE flow_documents (
    hash text PRIMARY KEY,
    document text NOT NULL
);

-- Images and files of messages.
CREATE TABLE attachments (
    hash text PRIMARY KEY,
    bytes bytea NOT NULL
);

-- What a run is asked to do: a command of the api.
CREATE TABLE run_requests (
    id uuid PRIMARY KEY,
    number bigint GENERATED ALWAYS AS IDENTITY,
    root uuid NOT NULL REFERENCES run_trees ON DELETE CASCADE,
    command text NOT NULL,
    -- Removed when it is executed: they may hold what journals do not keep.
    arguments text,
    -- How many bytes the tree had when it was first executed.
    begun_at bigint,
    done_at timestamptz,
    -- One of them, as JSON, when it is executed.
    reply text,
    error text
);

CREATE INDEX run_requests_pending ON run_requests (root, number) WHERE done_at IS NULL;
