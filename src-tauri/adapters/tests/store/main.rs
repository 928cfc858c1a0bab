//! The store from outside: what was flushed is there, in order, whatever happened in between.

mod crash;
mod full;
mod index;
mod journal;
mod open;
mod support;
