//! Which files a program may use, by Landlock.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::message::Access;

/// The newest version that is made use of; of an older kernel what it has.
const VERSION: ABI = ABI::V10;

/// Restricts this process, and all that it will start, to these files; forbids it to bind and connect, and to signal
/// processes that it did not start.
///
/// # Errors
/// What the kernel lacks, or what it said.
pub(super) fn restrict(access: &Access) -> Result<(), String> {
    let status = ruleset(access).map_err(|error| error.to_string())?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err("the kernel has none".to_owned()),
        _ => Ok(()),
    }
}

fn ruleset(access: &Access) -> Result<landlock::RestrictionStatus, RulesetError> {
    let read = AccessFs::from_read(VERSION);
    let all = AccessFs::from_all(VERSION);
    Ruleset::default()
        .handle_access(all)?
        .handle_access(AccessNet::from_all(VERSION))?
        .scope(Scope::from_all(VERSION))?
        .create()?
        .add_rules(path_beneath_rules(&access.readable, read))?
        .add_rules(path_beneath_rules(&access.listed, AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(access.writable.iter().chain(&access.devices), all))?
        .restrict_self()
}
