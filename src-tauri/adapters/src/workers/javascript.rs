//! JavaScript programs as jobs: a sandbox with limits on memory, stack and time, and with nothing to reach from inside.
//!
//! Only ever called in a worker process: the limits of the process hold where those of the interpreter do not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::exact_json;
use rquickjs::prelude::Rest;
use rquickjs::promise::PromiseState;
use rquickjs::{
    CatchResultExt as _, CaughtError, Coerced, Context, Ctx, Function, Object, Persistent, Promise, Runtime,
    Value,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::stopped::Stopped;
use crate::codes;

/// How long a program may compute.
const MAX_COMPUTE_TIME: Duration = Duration::from_secs(5);
/// When the worker is ended, if the interpreter did not end the program.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(8);
/// How much memory a program may use, in bytes.
const MAX_MEMORY_BYTES: usize = 64 << 20;
/// After how many steps the used memory is looked at. A look takes up to some 10 ms.
const STEPS_BETWEEN_MEMORY_CHECKS: u32 = 4_096;
/// How much stack a program may use, in bytes.
const MAX_STACK_BYTES: usize = 512 << 10;
/// The largest program, in bytes.
const MAX_CODE_BYTES: usize = 256 << 10;
/// The largest result, as JSON in bytes.
const MAX_RESULT_BYTES: usize = 1 << 20;
/// How much a program may log, in bytes.
const MAX_LOG_BYTES: usize = 64 << 10;
/// How many lines a program may log.
const MAX_LOG_LINES: usize = 1_000;
/// How much of an error's own text a message has, in characters.
const MAX_ERROR_CHARS: usize = 2_000;

/// A program: the body of a function with the parameter `input`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    pub code: String,
    pub input: serde_json::Value,
}

/// Runs a program. The result is an object of `result` and `log`. Faults `tool.code_failed`, `tool.code_limit`.
pub(super) fn run(program: &Program) -> Result<serde_json::Value, Fault> {
    run_within(program, MAX_COMPUTE_TIME)
}

fn run_within(program: &Program, max_compute_time: Duration) -> Result<serde_json::Value, Fault> {
    if program.code.len() > MAX_CODE_BYTES {
        return Err(limit(&format!("it is larger than {} KB", MAX_CODE_BYTES >> 10)));
    }
    let runtime = Runtime::new().map_err(|_| limit("there is no memory to start it"))?;
    runtime.set_memory_limit(MAX_MEMORY_BYTES);
    runtime.set_max_stack_size(MAX_STACK_BYTES);
    let deadline = Instant::now() + max_compute_time;
    runtime.set_interrupt_handler(Some(Box::new(move || Instant::now() >= deadline)));
    let context = Context::full(&runtime).map_err(|_| limit("there is no memory to start it"))?;
    let log = Arc::new(Mutex::new(Log::default()));
    let outcome = evaluate(&runtime, &context, program, &log, deadline);
    let result = match outcome {
        Ok(result) => result,
        Err(_) if Instant::now() >= deadline => {
            return Err(limit(&format!("it takes longer than {} s", max_compute_time.as_secs_f64())));
        }
        Err(failure) => return Err(failure.into_fault(&log.lock().lines)),
    };
    let log = std::mem::take(&mut log.lock().lines);
    Ok(json!({ "result": result, "log": log }))
}

/// The log of a program, up to a maximum size.
#[derive(Default)]
struct Log {
    lines: Vec<String>,
    bytes: usize,
}

impl Log {
    fn add(&mut self, line: String) {
        self.bytes += line.len();
        if self.bytes <= MAX_LOG_BYTES && self.lines.len() < MAX_LOG_LINES {
            self.lines.push(line);
        }
    }
}

enum Failure {
    /// The program threw.
    Thrown(String),
    /// It hit a limit.
    Limit(String),
}

impl Failure {
    fn into_fault(self, log: &[String]) -> Fault {
        match self {
            Self::Thrown(message) => {
                Fault::new(codes::TOOL_CODE_FAILED, format!("The program failed: {message}"))
                    .hint("Correct the program. It is the body of a function: `return` its result.")
                    .details(json!({ "log": log }))
            }
            Self::Limit(why) => limit(&why),
        }
    }
}

fn evaluate(
    runtime: &Runtime,
    context: &Context,
    program: &Program,
    log: &Arc<Mutex<Log>>,
    deadline: Instant,
) -> Result<serde_json::Value, Failure> {
    let throws_null = throws_null(&program.code);
    let promise = context.with(|ctx| call(&ctx, program, log, throws_null))?;
    let is_settled = || {
        let state = |ctx: &Ctx<'_>| promise.clone().restore(ctx).map(|promise| promise.state());
        context.with(|ctx| state(&ctx).is_ok_and(|state| state != PromiseState::Pending))
    };
    let (mut lacked_memory, mut was_nearly_full, mut steps) = (false, false, 0_u32);
    while !is_settled() && Instant::now() < deadline {
        match runtime.execute_pending_job() {
            Ok(true) => {
                steps = steps.wrapping_add(1);
                if steps.is_multiple_of(STEPS_BETWEEN_MEMORY_CHECKS) {
                    was_nearly_full = is_nearly_full(runtime);
                }
            }
            // Without memory for it, the next step is not even queued: nothing is thrown, and what waited for it is freed.
            Ok(false) => {
                lacked_memory |= was_nearly_full;
                break;
            }
            // What a step throws becomes its promise's; the step itself fails only if there is no memory for that.
            Err(thrown) => {
                lacked_memory = true;
                thrown.0.with(|ctx| drop(ctx.catch()));
            }
        }
    }
    context.with(|ctx| {
        let promise = promise.restore(&ctx).map_err(|error| Failure::Thrown(error.to_string()))?;
        result_of(&ctx, &promise, lacked_memory, throws_null)
    })
}

/// Whether three quarters of the memory are used. Looks at all that the program holds.
fn is_nearly_full(runtime: &Runtime) -> bool {
    let used = usize::try_from(runtime.memory_usage().malloc_size).unwrap_or_default();
    used >= MAX_MEMORY_BYTES / 4 * 3
}

/// Whether a program may throw null itself. The interpreter throws it where there is no memory left for an error.
fn throws_null(code: &str) -> bool {
    let mut words = code.split(|letter: char| letter.is_whitespace() || "(){};,".contains(letter));
    let mut follows_throw = false;
    words.any(|word| {
        let is_null = follows_throw && word == "null";
        if !word.is_empty() {
            follows_throw = word == "throw" || word.ends_with("reject");
        }
        is_null
    })
}

/// Calls the program, up to the first step that waits.
fn call(
    ctx: &Ctx<'_>,
    program: &Program,
    log: &Arc<Mutex<Log>>,
    throws_null: bool,
) -> Result<Persistent<Promise<'static>>, Failure> {
    let failed = |error: CaughtError<'_>| describe(&error, throws_null);
    define_console(ctx, log).catch(ctx).map_err(failed)?;
    let input = serde_json::to_string(&program.input).unwrap_or_default();
    let input = ctx.json_parse(input).catch(ctx).map_err(failed)?;
    // The program begins on the first line, so that the lines in errors are its own.
    let source = format!("(async function (input) {{ \"use strict\"; {}\n}})", program.code);
    let function: Function<'_> = ctx.eval(source).catch(ctx).map_err(failed)?;
    let promise: Promise<'_> = function.call((input,)).catch(ctx).map_err(failed)?;
    Ok(Persistent::save(ctx, promise))
}

/// The result of a program whose steps have all been made.
fn result_of<'js>(
    ctx: &Ctx<'js>,
    promise: &Promise<'js>,
    lacked_memory: bool,
    throws_null: bool,
) -> Result<serde_json::Value, Failure> {
    let failed = |error: CaughtError<'_>| describe(&error, throws_null);
    let Some(value) = promise.result::<Value<'js>>() else {
        if lacked_memory {
            return Err(out_of_memory());
        }
        // There is nothing outside that could resolve it.
        return Err(Failure::Thrown("it waits for a promise that nothing resolves.".to_owned()));
    };
    let value = value.catch(ctx).map_err(failed)?;
    if value.is_undefined() {
        return Ok(serde_json::Value::Null);
    }
    let Some(text) = ctx.json_stringify(value).catch(ctx).map_err(failed)? else {
        return Err(Failure::Thrown(
            "what it returned is not JSON; return numbers, texts, lists or objects.".to_owned(),
        ));
    };
    let text = text.to_string().catch(ctx).map_err(failed)?;
    if text.len() > MAX_RESULT_BYTES {
        return Err(Failure::Limit(format!("its result is larger than {} KB", MAX_RESULT_BYTES >> 10)));
    }
    exact_json::parse(&text).map_err(|_| Failure::Limit("its result nests too deeply".to_owned()))
}

/// `console` with functions that collect lines. It is the only thing a program gets besides the language.
fn define_console(ctx: &Ctx<'_>, log: &Arc<Mutex<Log>>) -> rquickjs::Result<()> {
    let console = Object::new(ctx.clone())?;
    for name in ["log", "info", "warn", "error", "debug"] {
        let log = Arc::clone(log);
        let write = move |values: Rest<Value<'_>>| {
            let texts: Vec<String> = values.0.iter().map(display).collect();
            log.lock().add(texts.join(" "));
        };
        console.set(name, Function::new(ctx.clone(), write)?)?;
    }
    ctx.globals().set("console", console)
}

/// A value as a line of the log has it.
fn display(value: &Value<'_>) -> String {
    let ctx = value.ctx().clone();
    if value.is_object()
        && let Ok(Some(text)) = ctx.json_stringify(value.clone())
    {
        return text.to_string().unwrap_or_default();
    }
    value.get::<Coerced<String>>().map_or_else(|_| "[value]".to_owned(), |text| text.0)
}

fn out_of_memory() -> Failure {
    Failure::Limit(format!("it needs more than {} MB of memory", MAX_MEMORY_BYTES >> 20))
}

fn describe(error: &CaughtError<'_>, throws_null: bool) -> Failure {
    let message = match error {
        CaughtError::Exception(exception) => {
            let name: String = exception.get("name").unwrap_or_default();
            let message = exception.message().unwrap_or_default();
            // An error without a name and a message is one for which there was no memory.
            if message == "out of memory" || name.is_empty() && message.is_empty() {
                return out_of_memory();
            }
            let line = exception.stack().and_then(|stack| line_of(&stack));
            let place = line.map(|line| format!(" (line {line})")).unwrap_or_default();
            format!("{name}: {message}{place}")
        }
        // The interpreter throws null where there is no memory left for an error.
        CaughtError::Value(value) if value.is_null() && !throws_null => return out_of_memory(),
        CaughtError::Value(value) => display(value),
        // Memory that is used up leaves no object for an exception.
        CaughtError::Error(rquickjs::Error::Allocation) => {
            return out_of_memory();
        }
        CaughtError::Error(error) => error.to_string(),
    };
    Failure::Thrown(message.chars().take(MAX_ERROR_CHARS).collect())
}

/// The line of the innermost call that is the program's.
fn line_of(stack: &str) -> Option<u32> {
    let frame = stack.lines().find(|line| line.contains("eval_script"))?;
    let numbers = frame.split("eval_script:").nth(1)?;
    numbers.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

fn limit(why: &str) -> Fault {
    Fault::new(codes::TOOL_CODE_LIMIT, format!("The program was stopped: {why}."))
        .hint("Let the program do less, or split the work.")
}

pub(super) fn stopped(why: Stopped) -> Fault {
    limit(match why {
        Stopped::InputTooLarge => "its input is too large",
        Stopped::Time => "it takes too long",
        Stopped::Memory => "it takes too much memory",
    })
}

#[cfg(test)]
mod tests;
