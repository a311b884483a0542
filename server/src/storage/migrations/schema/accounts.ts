import { RECORD_NUMBERS_TAKEN } from '../../engines/transactions.ts'
import { type Dialect, statements } from '../migration.ts'

/**
 * Users, how they sign in, and the links they get by mail. better-auth owns the first tables and both factor tables. A
 * passkey's counter is an unsigned 32-bit number. The formats of a user are JSON, the time zone is an IANA name, and a
 * picture is stored as base64. A link with `new_email` changes the address of its user, others confirm it.
 */
export function accounts({ key, moment, flag, no }: Dialect): string[] {
  return statements(`
    create table users (
      id ${key} primary key, name text not null, email ${key} not null unique, email_verified ${flag} not null,
      image text, created_at ${moment} not null, updated_at ${moment} not null,
      two_factor_enabled ${flag} not null default ${no}, formats text, time_zone ${key});

    create table pictures (
      user_id ${key} primary key references users (id) on delete cascade, id ${key} not null unique,
      type text not null, data text not null);

    create table sessions (
      id ${key} primary key, user_id ${key} not null references users (id) on delete cascade,
      token ${key} not null unique, expires_at ${moment} not null, ip_address text, user_agent text,
      created_at ${moment} not null, updated_at ${moment} not null, second_factor ${key});
    create index sessions_user on sessions (user_id);

    create table accounts (
      id ${key} primary key, user_id ${key} not null references users (id) on delete cascade,
      account_id ${key} not null, provider_id ${key} not null, access_token text, refresh_token text, id_token text,
      access_token_expires_at ${moment}, refresh_token_expires_at ${moment}, scope text, password text,
      created_at ${moment} not null, updated_at ${moment} not null);
    create index accounts_user on accounts (user_id);

    create table verifications (
      id ${key} primary key, identifier ${key} not null, value text not null, expires_at ${moment} not null,
      created_at ${moment} not null, updated_at ${moment} not null);
    create index verifications_identifier on verifications (identifier);
    create index verifications_expires on verifications (expires_at);

    create table two_factors (
      id ${key} primary key, user_id ${key} not null references users (id) on delete cascade, secret text not null,
      backup_codes text not null, verified ${flag}, failed_verification_count integer, locked_until ${moment},
      last_step bigint);
    create index two_factors_user on two_factors (user_id);

    create table passkeys (
      id ${key} primary key, user_id ${key} not null references users (id) on delete cascade, name text,
      public_key text not null, credential_id ${key} not null unique, counter bigint not null,
      device_type text not null, backed_up ${flag} not null, transports text, created_at ${moment}, aaguid text);
    create index passkeys_user on passkeys (user_id);

    create table email_links (
      hash ${key} primary key, user_id ${key} not null references users (id) on delete cascade,
      new_email ${key}, created_at ${key} not null, expires_at ${key} not null);
    create index email_links_user on email_links (user_id)`)
}

/** Programs that members have connected to a workspace, their codes, and better-auth's tables for them. */
export function oauth({ key, moment, flag }: Dialect): string[] {
  const client = `client_id ${key} not null references oauth_clients (client_id) on delete cascade`
  const session = `session_id ${key} references sessions (id) on delete set null`
  const user = `user_id ${key} references users (id) on delete cascade`
  return statements(`
    create table connections (
      id ${key} primary key, workspace_id ${key} not null references workspaces (id),
      user_id ${key} not null references users (id), client_id ${key} not null, abilities ${key} not null,
      last_used_at ${key}, revoked_at ${key}, created_at ${key} not null);
    create index connections_workspace on connections (workspace_id, created_at, id);
    create index connections_client on connections (client_id, user_id, workspace_id);
    create index connections_user on connections (user_id, workspace_id);

    create table oauth_codes (
      hash ${key} primary key, used_at ${key} not null, reference_id ${key}, replayed integer not null default 0);
    create index oauth_codes_used on oauth_codes (used_at);

    create table oauth_clients (
      id ${key} primary key, client_id ${key} not null unique, client_secret text, disabled ${flag},
      skip_consent ${flag}, enable_end_session ${flag}, subject_type text, scopes text, ${user}, created_at ${moment},
      updated_at ${moment}, name text, uri text, icon text, contacts text, tos text, policy text, software_id text,
      software_version text, software_statement text, redirect_uris text not null, post_logout_redirect_uris text,
      token_endpoint_auth_method text, grant_types text, response_types text, public ${flag}, type text,
      require_pkce ${flag}, reference_id ${key}, metadata text);
    create index oauth_clients_created on oauth_clients (created_at);

    create table oauth_refresh_tokens (
      id ${key} primary key, token ${key} not null unique, ${client}, ${session},
      user_id ${key} not null references users (id) on delete cascade, reference_id ${key},
      expires_at ${moment} not null, created_at ${moment} not null, revoked ${moment}, auth_time ${moment},
      scopes text not null);
    create index oauth_refresh_tokens_client on oauth_refresh_tokens (client_id, user_id);
    create index oauth_refresh_tokens_reference on oauth_refresh_tokens (reference_id);
    create index oauth_refresh_tokens_session on oauth_refresh_tokens (session_id);
    create index oauth_refresh_tokens_user on oauth_refresh_tokens (user_id);
    create index oauth_refresh_tokens_expires on oauth_refresh_tokens (expires_at);

    create table oauth_access_tokens (
      id ${key} primary key, token ${key} not null unique, ${client}, ${session}, ${user}, reference_id ${key},
      refresh_id ${key} references oauth_refresh_tokens (id) on delete cascade, expires_at ${moment} not null,
      created_at ${moment} not null, scopes text not null);
    create index oauth_access_tokens_client on oauth_access_tokens (client_id);
    create index oauth_access_tokens_reference on oauth_access_tokens (reference_id);
    create index oauth_access_tokens_session on oauth_access_tokens (session_id);
    create index oauth_access_tokens_user on oauth_access_tokens (user_id);
    create index oauth_access_tokens_refresh on oauth_access_tokens (refresh_id);
    create index oauth_access_tokens_expires on oauth_access_tokens (expires_at);

    create table oauth_consents (
      id ${key} primary key, ${client}, ${user}, reference_id ${key}, scopes text not null,
      created_at ${moment} not null, updated_at ${moment} not null);
    create index oauth_consents_client on oauth_consents (client_id, user_id, reference_id);
    create index oauth_consents_user on oauth_consents (user_id)`)
}

/**
 * Workspaces, who is in them, and what is set up there: tokens, fields, views, reports. `domain_joins`: a user joins a
 * workspace by the domain of their address only once, so a removed member stays out. `custom_fields.unsettled`: what a
 * change of the field leaves to be done to the records, as JSON. Workspaces and fields have a `number`, by which the
 * tables of records refer to them.
 */
export function workspaces({ key, database }: Dialect): string[] {
  const workspace = `workspace_id ${key} not null references workspaces (id)`
  const user = `user_id ${key} not null references users (id)`
  const tables = statements(`
    create table workspaces (
      id ${key} primary key, number integer not null unique, name text not null, slug ${key} not null unique,
      fields_version integer not null,
      trial_ends_at ${key} not null, subscription_status ${key}, stripe_customer_id ${key} unique,
      stripe_subscription_id ${key} unique, stripe_event_at bigint, complimentary integer not null, paused_at ${key},
      created_at ${key} not null, require_second_factor integer not null default 0,
      created_by ${key} references users (id) on delete set null);
    create index workspaces_created_by on workspaces (created_by);

    create table members (
      ${workspace}, ${user}, role ${key} not null, created_at ${key} not null, sessions_ended_at ${key},
      primary key (workspace_id, user_id));
    create index members_user on members (user_id);
    create table former_members (
      ${workspace}, user_id ${key} not null, name text not null, primary key (workspace_id, user_id));

    create table invitations (
      ${workspace}, id ${key} not null, hash ${key} not null unique, email ${key}, role ${key} not null,
      inviter_id ${key} not null references users (id), created_at ${key} not null, expires_at ${key} not null,
      primary key (workspace_id, id));

    create table domain_joins (
      ${workspace}, ${user} on delete cascade, created_at ${key} not null, primary key (workspace_id, user_id));

    create table password_links (
      hash ${key} primary key, ${user} on delete cascade, created_at ${key} not null, expires_at ${key} not null,
      source ${key} not null default 'mail', workspace_id ${key} references workspaces (id) on delete cascade,
      creator_id ${key} references users (id) on delete cascade);
    create index password_links_user on password_links (user_id);
    create index password_links_creator on password_links (creator_id);
    create index password_links_workspace on password_links (workspace_id);

    create table tokens (
      id ${key} primary key, ${workspace}, ${user}, name text not null, hash ${key} not null unique,
      abilities ${key} not null, expires_at ${key}, last_used_at ${key}, revoked_at ${key}, created_at ${key} not null);
    create index tokens_workspace on tokens (workspace_id, created_at, id);
    create index tokens_user on tokens (user_id, workspace_id);

    create table custom_fields (
      ${workspace}, id ${key} not null, number integer not null, entity_type ${key} not null,
      code ${key} not null, key ${key} not null,
      name text not null, name_key ${key} not null, type ${key} not null, description text, required integer not null,
      "unique" integer not null, multiple integer not null, max_values integer not null, position integer not null,
      system integer not null, settings text not null, options text not null, archived_at ${key}, deleted_at ${key},
      created_at ${key} not null, updated_at ${key} not null, unsettled text,
      primary key (workspace_id, id), unique (workspace_id, entity_type, key));
    create unique index custom_fields_number on custom_fields (${database === 'sqlite' ? '' : 'workspace_id, '}number);
    create index custom_fields_unsettled on custom_fields (workspace_id) where unsettled is not null;
    create unique index custom_fields_code on custom_fields (workspace_id, entity_type, code) where deleted_at is null;
    create unique index custom_fields_name on custom_fields (workspace_id, entity_type, name_key)
      where deleted_at is null;

    create table views (
      ${workspace}, id ${key} not null, resource ${key} not null, owner_id ${key} not null references users (id),
      name text not null, shared integer not null, state text not null, position integer not null,
      created_at ${key} not null, updated_at ${key} not null, primary key (workspace_id, id));
    create index views_resource on views (workspace_id, resource, position, id);

    create table reports (
      ${workspace}, id ${key} not null, owner_id ${key} not null references users (id),
      name text not null, shared integer not null, charts text not null, position integer not null,
      version integer not null, created_at ${key} not null, updated_at ${key} not null,
      primary key (workspace_id, id))`)
  return database === 'sqlite' ? tables : [...tables, ...numberSequences]
}

/** A process takes many numbers of records at a time: see `takeNumbers`. */
const numberSequences = [
  'create sequence workspaces_numbers as integer',
  'create sequence custom_fields_numbers as integer',
  `create sequence records_numbers increment by ${RECORD_NUMBERS_TAKEN}`,
]

/**
 * A version for the members of a workspace, in `record_counts` under `users`: it grows when a member joins, leaves, or
 * changes name or email address. Triggers write it, so no way of writing can forget it. The tags of lists depend on it.
 */
export function memberVersions({ database }: Dialect): string[] {
  return database === 'sqlite' ? sqlite : postgres
}

const grow = (rows: string) => `insert into record_counts (workspace_id, resource, slot, live, version) ${rows}
  on conflict (workspace_id, resource, slot) do update set version = record_counts.version + 1;`

const ofMember = (row: 'old' | 'new') => grow(`values (${row}.workspace_id, 'users', 0, 0, 1)`)

/** In order, so that two changes never wait for each other. */
const ofUser = grow(`select workspace_id, 'users', 0, 0, 1 from members where user_id = new.id order by workspace_id`)

const CHANGED = 'old.name <> new.name or old.email <> new.email'

const sqlite = [
  `create trigger members_joined after insert on members begin ${ofMember('new')} end`,
  `create trigger members_left after delete on members begin ${ofMember('old')} end`,
  `create trigger users_changed after update of name, email on users when ${CHANGED} begin ${ofUser} end`,
]

const postgresFunction = (name: string, statement: string) =>
  `create function ${name}() returns trigger language plpgsql as $$ begin ${statement} return null; end $$`

const postgres = [
  postgresFunction('count_joined_member', ofMember('new')),
  postgresFunction('count_left_member', ofMember('old')),
  postgresFunction('count_changed_user', ofUser),
  `create trigger members_joined after insert on members for each row execute function count_joined_member()`,
  `create trigger members_left after delete on members for each row execute function count_left_member()`,
  `create trigger users_changed after update of name, email on users for each row when (${CHANGED})
    execute function count_changed_user()`,
]
