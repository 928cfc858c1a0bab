//! From text to a flow: syntax, version, shape and duplicate ids, each with line and column.
