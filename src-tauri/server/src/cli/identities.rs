//! `plait-server identities`: the identity providers whose tokens are let in.

use std::path::Path;

use clap::{Args, Subcommand};
use plait_api::ErrorReply;

use super::TenantArgs;
use crate::identities::{Identities, IdentityProvider};
use crate::roles::Role;

#[derive(Debug, Subcommand)]
pub(super) enum IdentitiesCommand {
    /// Add an identity provider, which is asked for its keys. The highest role that a token gives counts.
    Add(AddIdentityArgs),
    /// List the identity providers: name, address, audience, tenant, and the roles of groups.
    List,
    /// Remove an identity provider. Its tokens are refused from then on.
    #[command(visible_alias = "remove")]
    Rm {
        /// Its name.
        name: String,
    },
}

#[derive(Debug, Args)]
pub(super) struct AddIdentityArgs {
    /// What to call it.
    name: String,
    /// Its address, as its tokens have it in `iss`.
    #[arg(long, value_name = "URL")]
    issuer: String,
    /// For whom its tokens are made, in `aud`: the name that this host has there. Each tenant needs one of its own.
    #[arg(long, value_name = "NAME")]
    audience: String,
    /// The role of a group; repeat it for others.
    #[arg(long = "role", value_name = "GROUP=ROLE", value_parser = parse_group_role, required_unless_present = "everybody")]
    roles: Vec<(String, Role)>,
    /// The role of everybody whom the provider knows.
    #[arg(long, value_enum, value_name = "ROLE")]
    everybody: Option<Role>,
    /// The claim with the groups. Dots lead into it, as in `realm_access.roles`.
    #[arg(long, value_name = "CLAIM", default_value = "groups")]
    group_claim: String,
    /// The claim with the name for the audit log. The subject, where a token has none.
    #[arg(long, value_name = "CLAIM", default_value = "email")]
    name_claim: String,
    #[command(flatten)]
    tenant: TenantArgs,
}

fn parse_group_role(text: &str) -> Result<(String, Role), String> {
    let (group, role) = text.rsplit_once('=').ok_or("write GROUP=ROLE, such as staff=editor")?;
    Ok((group.to_owned(), <Role as clap::ValueEnum>::from_str(role, false)?))
}

/// Executes a command on the identity providers of a data directory.
pub(super) async fn execute(home: &Path, command: IdentitiesCommand) -> Result<(), ErrorReply> {
    let identities = Identities::of(home);
    match command {
        IdentitiesCommand::Add(args) => {
            let name = args.name.clone();
            args.tenant.home(home)?;
            let provider = IdentityProvider {
                name: args.name,
                issuer: args.issuer,
                audience: args.audience,
                tenant: args.tenant.tenant,
                name_claim: args.name_claim,
                group_claim: args.group_claim,
                groups: args.roles.into_iter().collect(),
                everybody: args.everybody,
            };
            identities.add(provider).await?;
            println!("{name}: its tokens are let in.");
        }
        IdentitiesCommand::List => {
            for IdentityProvider { name, issuer, audience, tenant, groups, everybody, .. } in
                identities.list()?.iter()
            {
                let mut roles: Vec<String> =
                    groups.iter().map(|(group, role)| format!("{group}={}", role.name())).collect();
                roles.extend(everybody.map(|role| format!("everybody: {}", role.name())));
                println!("{name}\t{issuer}\t{audience}\t{tenant}\t{}", roles.join(", "));
            }
        }
        IdentitiesCommand::Rm { name } => {
            identities.remove(&name)?;
            println!("{name} is removed.");
        }
    }
    Ok(())
}
