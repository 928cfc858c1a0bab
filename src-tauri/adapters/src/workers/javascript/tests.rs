use serde_json::json;

use super::*;

fn run_code(code: &str, input: serde_json::Value) -> Result<serde_json::Value, Fault> {
    run_within_time(code, input, Duration::from_millis(500))
}

/// For programs that fail by themselves, also where the machine is slow.
fn run_with_time(code: &str, limit: Duration) -> Result<serde_json::Value, Fault> {
    run_within_time(code, json!(null), limit)
}

fn run_within_time(
    code: &str,
    input: serde_json::Value,
    limit: Duration,
) -> Result<serde_json::Value, Fault> {
    let program = Program { code: code.to_owned(), input };
    // Programs use much stack in a debug build.
    let thread = std::thread::Builder::new().stack_size(8 << 20);
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
            || message.contains("invalid array buffer length");
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

/// However memory is used up, and wherever: as one large value, as many small ones, in a later step, behind a `catch` that keeps what
/// was made.
#[test]
fn program_beyond_its_memory_has_the_code_of_the_limit() {
    let many = "const a = []; for (;;) a.push({})";
    for code in [
        many.to_owned(),
        "const a = []; for (;;) a.push('x' + a.length)".to_owned(),
        "const a = []; for (;;) a.push(() => a)".to_owned(),
        "let a = null; for (;;) a = { a }".to_owned(),
        "const m = new Map(); for (let i = 0; ; i++) m.set(i, {})".to_owned(),
        "let s = 'ab'; const a = []; for (;;) { s = s + a.length; a.push(s) }".to_owned(),
        "return new Uint8Array(200e6)".to_owned(),
        "return new Array(20e6).fill({ x: 1 })".to_owned(),
        "return 'x'.repeat(200e6)".to_owned(),
        format!("await null; {many}"),
        format!("await (async () => {{ await null; {many} }})()"),
        format!("return await Promise.all([1, 2].map(async () => {{ await null; {many} }}))"),
        "const a = []; async function f() { a.push(new Array(1000).fill(1)); await null; return f(); } return await f()"
            .to_owned(),
        "const a = []; for (;;) { try { for (;;) a.push({}) } catch (e) { throw e } }".to_owned(),
        format!("function* g() {{ {many} }} return [...g()]"),
        "return JSON.stringify(new Array(5e6).fill('0123456789'))".to_owned(),
    ] {
        let fault = run_with_time(&code, Duration::from_secs(20)).expect_err("failed");
        assert_eq!(fault.code.as_str(), "tool.code_limit", "{code}: {}", fault.message);
        assert!(fault.message.contains("memory"), "{code}: {}", fault.message);
    }
    for code in ["throw null", "if (!input) { throw (null); }", "return Promise.reject(null)"] {
        assert_eq!(
            code_of(code),
            ("tool.code_failed".to_owned(), "The program failed: null".to_owned()),
            "{code}"
        );
    }
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
