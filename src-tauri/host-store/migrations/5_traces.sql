-- How many bytes of its records were exported as spans.
ALTER TABLE run_trees ADD COLUMN exported_size bigint NOT NULL DEFAULT 0;
