use super::*;
use crate::codes;

#[test]
fn statuses_say_whose_fault_it_is() {
    for (code, status) in [
        (codes::HOST_UNAUTHORIZED, 401),
        (codes::HOST_FORBIDDEN, 403),
        (codes::GRANT_NEEDED, 403),
        (codes::HOST_MACHINE_ONLY, 403),
        (codes::HOST_TENANT_UNKNOWN, 403),
        (codes::RUN_UNKNOWN, 404),
        (codes::ATTACHMENT_MISSING, 404),
        (codes::MCP_UNKNOWN_SERVER, 404),
        (codes::PUBLISHED_UNKNOWN, 404),
        (codes::PUBLISHED_DAMAGED, 500),
        (codes::COMMAND_ARGUMENTS, 400),
        (codes::RUN_BUSY, 409),
        (codes::HOST_TOO_LARGE, 413),
        (codes::FLOW_INVALID, 422),
        (codes::PUBLISHED_BAD_NAME, 422),
        (codes::HOST_BUSY, 429),
        (codes::STORE_IO, 500),
        (codes::HOST_CLOSING, 503),
    ] {
        assert_eq!(status_of(&code).as_u16(), status, "{code}");
    }
}
