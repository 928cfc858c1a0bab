use serde_json::json;

use super::*;

fn run_code(code: &str, input: serde_json::Value) -> Result<serde_json::Value, Fault> {
    let program = Program { code: code.to_owned(), input };
    // Programs use much stack in a debug build.
    let thread = std::thread::Builder::new().stack_size(8 << 20);
    let limit = Duration::from_millis(500);
    thread.spawn(move || run_within(&program, limit)).expect("started").join().expect("no panic")
}

fn result(code: &str, input: serde_json::Value) -> serde_json::Value {
    run_code(code, input).expect("result")["result"].clone()
}

fn code_of(code: &str) -> (String, String) {
    let fault = run_code(code, json!(null)).expect_err("failed");
    (fault.code.to_string(), fault.message)
}

#[test]
fn program_returns_json() {
    assert_eq!(result("return input.a + 1;", json!({ "a": 1 })), json!(2));
    assert_eq!(result("return [input, {x: 'ä'}]", json!("t")), json!(["t", { "x": "ä" }]));
    assert_eq!(result("const x = 1;", json!(null)), json!(null));
    assert_eq!(result("return await Promise.resolve(3)", json!(null)), json!(3));
    assert_eq!(result("return 1 // comment", json!(null)), json!(1));
    assert_eq!(
        run_code("console.log('a', 1, {b: 2}); console.error('c'); return 1", json!(null)),
        Ok(json!({ "result": 1, "log": ["a 1 {\"b\":2}", "c"] }))
    );
}

#[test]
fn program_errors_say_what_and_where() {
    let (code, message) = code_of("const x = 1;\nx.y.z;");
    assert_eq!(code, "tool.code_failed");
    assert!(message.contains("TypeError") && message.contains("line 2"), "{message}");
    assert_eq!(code_of("throw 'no'").1, "The program failed: no");
    assert!(code_of("return (").1.contains("SyntaxError"));
    assert!(code_of("return () => 1").1.contains("not JSON"));
    assert!(code_of("const a = {}; a.a = a; return a").1.contains("circular"));
    assert!(code_of("await new Promise(() => {})").1.contains("nothing resolves"));
}

#[test]
fn program_that_loops_or_eats_memory_is_stopped() {
    for code in [
        "for (;;) {}",
        "for (;;) { try { for (;;) {} } catch (e) {} }",
        "try { for (;;) {} } finally { for (;;) {} }",
        "/(a+)+$/.test('a'.repeat(40) + 'b'); return /(x+x+)+y/.test('x'.repeat(50))",
        "return { get a() { for (;;) {} } }",
        "return { toJSON() { for (;;) {} } }",
        "async function f() { await null; return f(); } return await f()",
        "const a = []; for (;;) a.push(new Array(1000).fill('x'))",
        "return 'x'.repeat(1e9)",
        "let s = 'x'; for (;;) s += s",
        "return new Uint8Array(1e9)",
        "return 'x'.repeat(2_000_000)",
        "let a = []; for (let i = 0; i < 200; i++) a = [a]; return a",
    ] {
        let (found, message) = code_of(code);
        let is_refused_at_once = message.contains("invalid string length")
            || message.contains("string too long")
            || message.contains("invalid array buffer length")
            || message.contains("an asynchronous step ran out of memory");
        assert!(found == "tool.code_limit" || is_refused_at_once, "{code}: {message}");
    }
    let (code, message) = code_of("function f() { return f() + 1 } return f()");
    assert_eq!(code, "tool.code_failed");
    assert!(message.contains("stack"), "{message}");
    assert_eq!(
        run_code(&" ".repeat(MAX_CODE_BYTES + 1), json!(null)).expect_err("large").code.as_str(),
        "tool.code_limit"
    );
}

#[test]
fn program_reaches_nothing_outside() {
    for name in [
        "require",
        "process",
        "Deno",
        "Bun",
        "fetch",
        "XMLHttpRequest",
        "WebSocket",
        "std",
        "os",
        "setTimeout",
        "print",
        "scriptArgs",
        "gc",
        "Worker",
        "navigator",
        "importScripts",
        "loadFile",
    ] {
        assert_eq!(result(&format!("return typeof {name}"), json!(null)), json!("undefined"), "{name}");
    }
    for code in
        ["await import('os')", "await import('fs')", "await import('./x.js')", "return this.constructor"]
    {
        assert!(run_code(code, json!(null)).is_err(), "{code}");
    }
    // Leaving the function that surrounds the program leads into the same sandbox.
    assert_eq!(
        result("return typeof new Function('return this')().process", json!(null)),
        json!("undefined")
    );
    let escape = run_code("}); (async function () { return typeof require", json!(null));
    assert!(escape.is_err() || escape == Ok(json!({ "result": "undefined", "log": [] })), "{escape:?}");
}

#[test]
fn log_is_limited() {
    let outcome =
        run_code("for (let i = 0; i < 5000; i++) console.log('line ' + i)", json!(null)).expect("result");
    assert_eq!(outcome["log"].as_array().map(Vec::len), Some(MAX_LOG_LINES));
    let outcome = run_code("console.log('x'.repeat(100000)); console.log('y')", json!(null)).expect("result");
    assert_eq!(outcome["log"], json!([]));
}
