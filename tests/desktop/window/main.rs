//! What a person does with the real window, from opening it to coming back to it.
#![cfg(target_os = "linux")]

mod draws_and_runs;
mod editor;
mod models;
mod opens;
mod providers;
mod survives;
