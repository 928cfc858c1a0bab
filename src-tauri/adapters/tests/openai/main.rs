//! The OpenAI protocol against scripted servers: what is sent, exactly; what comes back, however it is cut up; and what
//! each failure is called.

mod failure;
mod reply;
mod request;
mod server;
