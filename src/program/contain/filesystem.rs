//! Which files a program may use, by Landlock.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::message::Access;

/// The newest version that is made use of; of an older kernel what it has.
const VERSION: ABI = ABI::V10;

/// Its number.
pub(super) const NEWEST: u32 = VERSION as u32;

/// Restricts this process, and all that it will start, to these files; forbids it to bind and connect, and to signal
/// processes that it did not start. Gives the version that is in force.
///
/// # Errors
/// What the kernel lacks, or what it said.
pub(super) fn restrict(access: &Access) -> Result<u32, String> {
    let status = ruleset(access).map_err(|error| error.to_string())?;
    match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _) => Err("the kernel has none".to_owned()),
        (_, LandlockStatus::Available { effective_abi, .. }) => Ok(effective_abi as u32),
        (_, status) => Err(format!("{status:?}")),
    }
}

fn ruleset(access: &Access) -> Result<landlock::RestrictionStatus, RulesetError> {
    let read = AccessFs::from_read(VERSION);
    Ruleset::default()
        .handle_access(AccessFs::from_all(VERSION))?
        .handle_access(AccessNet::from_all(VERSION))?
        .scope(Scope::from_all(VERSION))?
        .create()?
        .add_rules(path_beneath_rules(&access.readable, read))?
        .add_rules(path_beneath_rules(&access.listed, AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(&access.writable, AccessFs::from_all(VERSION)))?
        .restrict_self()
}
