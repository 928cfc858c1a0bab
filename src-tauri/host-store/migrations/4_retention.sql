-- When a tree came to its end. NULL for one that an earlier version left: the next look at ended trees sets it.
ALTER TABLE run_trees ADD COLUMN ended_at timestamptz;
-- How many bytes of its records were searched for the values that they name.
ALTER TABLE run_trees ADD COLUMN searched_size bigint NOT NULL DEFAULT 0;

UPDATE run_trees SET ended_at = coalesce(to_timestamp((summary::jsonb ->> 'endedAt')::double precision / 1000), now())
    WHERE ended OR status IN ('finished', 'failed', 'cancelled');

CREATE INDEX run_trees_ended ON run_trees (ended_at) WHERE conversation IS NULL;

ALTER TABLE conversations ADD COLUMN searched_size bigint NOT NULL DEFAULT 0;

-- When somebody stored it last: it stays for a while, until a record names it.
ALTER TABLE flow_documents ADD COLUMN stored_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE attachments ADD COLUMN stored_at timestamptz NOT NULL DEFAULT now();

-- The flows and attachments that trees and conversations name, as far as their records were searched.
CREATE TABLE tree_values (
    root uuid NOT NULL REFERENCES run_trees ON DELETE CASCADE,
    hash text NOT NULL,
    PRIMARY KEY (root, hash)
);

CREATE INDEX tree_values_hash ON tree_values (hash);

CREATE TABLE conversation_values (
    conversation uuid NOT NULL REFERENCES conversations ON DELETE CASCADE,
    hash text NOT NULL,
    PRIMARY KEY (conversation, hash)
);

CREATE INDEX conversation_values_hash ON conversation_values (hash);
