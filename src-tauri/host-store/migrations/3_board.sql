-- How the root of a tree stands, as lists show it: JSON. What the host that began it knew, until a worker says more.
ALTER TABLE run_trees ADD COLUMN summary text;
-- What of it lists choose by. The status is that of a tree at rest.
ALTER TABLE run_trees ADD COLUMN status text;
ALTER TABLE run_trees ADD COLUMN flow_path text;
ALTER TABLE run_trees ADD COLUMN user_name text;

CREATE INDEX run_trees_newest ON run_trees (number);
CREATE INDEX run_trees_open ON run_trees (number) WHERE NOT ended;
