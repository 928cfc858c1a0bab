//! Documents of knowledge bases. An input is the name of a file and, after a zero byte, its bytes. PDF and HTML are
//! read in a worker, as in the application; all texts are split here.

use std::path::Path;

use plait_adapters::documents::DocumentKind;
use plait_adapters::retrieval::split_file;
use plait_adapters::workers::{Job, WorkerPool};

use super::{Handler, gist, magnitude, runtime, worker_pool};

pub(super) const SEEDS: &[&str] = &[
    "a.md\0# Title\n\nA paragraph with **bold** and `code`.\n\n- one\n  - two\n\n```rust\n# none\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "a.txt\0A sentence. Another one! A third?\r\n\r\nA paragraph. 日本語の文。",
    "a.rs\0fn main() {\n    println!(\"{}\", 1);\n}\n\nstruct A<T> { b: Vec<T> }\n",
    "a.py\0def f(x):\n    return [y for y in x if y]\n\nclass A:\n    pass\n",
    "a.ts\0export const f = <T,>(x: T): T => x;\ninterface A { b?: string }\n",
    "a.go\0package main\n\nfunc main() { go func() {}() }\n",
    "a.html\0<html><body><h1>T</h1><p>a <b>c</b><table><tr><td>1</td></tr></table></body></html>",
    "a.pdf\0%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n",
];

pub(super) const WORDS: &[&str] = &[
    "a.md\0",
    "a.txt\0",
    "a.rs\0",
    "a.py\0",
    "a.tsx\0",
    "a.go\0",
    "a.html\0",
    "a.pdf\0",
    "\n\n",
    "\n# ",
    "```\n",
    "- ",
    "> ",
    "| ",
    "[a](b)",
    "<div>",
    "</div>",
    "<table>",
    "{",
    "}",
    "(",
    "\"",
    "'",
    "/*",
    "*/",
    "日本",
    "\u{301}",
    "\u{202e}",
    "\r\n",
    "endobj",
    "stream",
    "/Kids [2 0 R]",
];

pub(super) struct DocumentHandler {
    runtime: tokio::runtime::Runtime,
    workers: WorkerPool,
}

impl DocumentHandler {
    pub(super) fn new() -> anyhow::Result<Self> {
        Ok(Self { runtime: runtime()?, workers: worker_pool()? })
    }
}

impl Handler for DocumentHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        let end = input.iter().position(|&byte| byte == 0).unwrap_or(input.len());
        let name = String::from_utf8_lossy(&input[..end]).into_owned();
        let bytes = input.get(end + 1..).unwrap_or_default();
        let kind = match name.rsplit('.').next() {
            Some("html") => Some(DocumentKind::Html),
            Some("pdf") => Some(DocumentKind::Pdf),
            _ => None,
        };
        let result = match kind {
            Some(kind) => {
                let read = self.runtime.block_on(self.workers.execute(&Job::read_document(kind, bytes)));
                read.and_then(|text| {
                    split_file(Path::new("a.md"), text.as_str().unwrap_or_default().as_bytes())
                })
            }
            None => split_file(Path::new(&name), bytes),
        };
        Ok(match result {
            Ok(passages) => format!("{} passages", magnitude(passages.len())),
            Err(fault) => gist(&fault.message),
        })
    }
}
