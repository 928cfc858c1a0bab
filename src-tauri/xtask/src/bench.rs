//! x
pub(crate) fn run(_p: bool, _f: Option<&str>) -> anyhow::Result<()> {
    Ok(())
}
