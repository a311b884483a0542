import { statements, type Words } from '../words.ts'

/**
 * Workspaces, who is in them, and what is set up there: tokens, fields, saved views. `domain_joins`: a user joins a
 * workspace by the domain of their address only once, so a removed member stays out.
 */
export function workspaces({ key }: Words): string[] {
  const workspace = `workspace_id ${key} not null references workspaces (id)`
  const user = `user_id ${key} not null references users (id)`
  return statements(`
    create table workspaces (
      id ${key} primary key, name text not null, slug ${key} not null unique, fields_version integer not null,
      trial_ends_at ${key} not null, subscription_status ${key}, stripe_customer_id ${key} unique,
      stripe_subscription_id ${key} unique, stripe_event_at bigint, complimentary integer not null, paused_at ${key},
      created_at ${key} not null, require_second_factor integer not null default 0,
      created_by ${key} references users (id) on delete set null);
    create index workspaces_created_by on workspaces (created_by);

    create table members (
      ${workspace}, ${user}, role ${key} not null, created_at ${key} not null, sessions_ended_at ${key},
      primary key (workspace_id, user_id));
    create index members_user on members (user_id);

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
      ${workspace}, id ${key} not null, entity_type ${key} not null, code ${key} not null, key ${key} not null,
      name text not null, name_key ${key} not null, type ${key} not null, description text, required integer not null,
      "unique" integer not null, multiple integer not null, max_values integer not null, position integer not null,
      system integer not null, settings text not null, options text not null, archived_at ${key}, deleted_at ${key},
      created_at ${key} not null, updated_at ${key} not null,
      primary key (workspace_id, id), unique (workspace_id, entity_type, key));
    create unique index custom_fields_code on custom_fields (workspace_id, entity_type, code) where deleted_at is null;
    create unique index custom_fields_name on custom_fields (workspace_id, entity_type, name_key)
      where deleted_at is null;

    create table views (
      ${workspace}, id ${key} not null, resource ${key} not null, owner_id ${key} not null references users (id),
      name text not null, shared integer not null, state text not null, position integer not null,
      created_at ${key} not null, updated_at ${key} not null, primary key (workspace_id, id));
    create index views_resource on views (workspace_id, resource, position, id)`)
}

/**
 * A version for the members of a workspace, in `record_counts` under `users`: it grows when a member joins, leaves, or
 * changes name or email address. Triggers write it, so no way of writing can forget it. The tags of lists depend on it.
 */
export function memberVersions({ dialect }: Words): string[] {
  return dialect === 'sqlite' ? sqlite : postgres
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
