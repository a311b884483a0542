import type { Migration, Words } from './words.ts'

/** Accounts, workspaces, the five record tables and the index over their values. */
export const foundation: Migration = {
  name: '0001-foundation',
  statements: (words) => [
    ...accounts(words),
    ...workspaces(words),
    ...records(words),
    ...fieldValues(words),
    ...links(words),
    ...(words.dialect === 'sqlite' ? sqliteSearch : [...postgresSearch, ...postgresRateLimits, ...postgresFields]),
  ],
}

function accounts({ key, moment, flag }: Words): string[] {
  return [
    `create table users (
      id ${key} primary key, name text not null, email ${key} not null unique, email_verified ${flag} not null,
      image text, created_at ${moment} not null, updated_at ${moment} not null)`,
    `create table sessions (
      id ${key} primary key, user_id ${key} not null references users (id) on delete cascade, token ${key} not null unique,
      expires_at ${moment} not null, ip_address text, user_agent text, created_at ${moment} not null, updated_at ${moment} not null)`,
    'create index sessions_user on sessions (user_id)',
    `create table accounts (
      id ${key} primary key, user_id ${key} not null references users (id) on delete cascade, account_id ${key} not null,
      provider_id ${key} not null, access_token text, refresh_token text, id_token text, access_token_expires_at ${moment},
      refresh_token_expires_at ${moment}, scope text, password text, created_at ${moment} not null, updated_at ${moment} not null)`,
    'create index accounts_user on accounts (user_id)',
    `create table verifications (
      id ${key} primary key, identifier ${key} not null, value text not null, expires_at ${moment} not null,
      created_at ${moment} not null, updated_at ${moment} not null)`,
    'create index verifications_identifier on verifications (identifier)',
  ]
}

function workspaces({ key }: Words): string[] {
  return [
    `create table workspaces (
      id ${key} primary key, name text not null, slug ${key} not null unique, fields_version integer not null,
      trial_ends_at ${key} not null, subscription_status ${key}, stripe_customer_id ${key} unique,
      stripe_subscription_id ${key} unique, stripe_event_at bigint, complimentary integer not null, paused_at ${key}, created_at ${key} not null)`,
    `create table members (
      workspace_id ${key} not null references workspaces (id), user_id ${key} not null references users (id),
      role ${key} not null, created_at ${key} not null, primary key (workspace_id, user_id))`,
    'create index members_user on members (user_id)',
    `create table tokens (
      id ${key} primary key, workspace_id ${key} not null references workspaces (id), user_id ${key} not null references users (id),
      name text not null, hash ${key} not null unique, abilities ${key} not null, expires_at ${key}, last_used_at ${key},
      revoked_at ${key}, created_at ${key} not null)`,
    'create index tokens_workspace on tokens (workspace_id, created_at, id)',
    `create table custom_fields (
      id ${key} primary key, workspace_id ${key} not null references workspaces (id), entity_type ${key} not null,
      code ${key} not null, key ${key} not null, name text not null, name_key ${key} not null, type ${key} not null,
      description text, required integer not null, "unique" integer not null, multiple integer not null,
      max_values integer not null, position integer not null, system integer not null, settings text not null,
      options text not null, archived_at ${key}, deleted_at ${key}, created_at ${key} not null, updated_at ${key} not null,
      unique (workspace_id, entity_type, key))`,
    'create unique index custom_fields_code on custom_fields (workspace_id, entity_type, code) where deleted_at is null',
    'create unique index custom_fields_name on custom_fields (workspace_id, entity_type, name_key) where deleted_at is null',
    `create table record_counts (
      workspace_id ${key} not null, resource ${key} not null, slot integer not null, live integer not null,
      version bigint not null, primary key (workspace_id, resource, slot))`,
  ]
}

function records(words: Words): string[] {
  const { key } = words
  return [
    ...recordTable(words, 'companies', 'name', [`account_owner_id ${key}`]),
    ...recordTable(words, 'people', 'name', [`company_id ${key}`]),
    ...recordTable(words, 'opportunities', 'name', [`company_id ${key}`, `contact_id ${key}`]),
    ...recordTable(words, 'tasks', 'title', []),
    ...recordTable(words, 'notes', 'title', []),
  ]
}

function recordTable({ key, rowNumber, dialect }: Words, table: string, label: string, references: string[]): string[] {
  const identity = dialect === 'sqlite' ? 'unique (workspace_id, id)' : 'primary key (workspace_id, id)'
  const own = references.map((column) => `${column},`).join(' ')
  return [
    `create table ${table} (
      ${rowNumber} workspace_id ${key} not null references workspaces (id), id ${key} not null, ${label} text not null,
      name_key ${key} not null, ${own} creator_id ${key}, creation_source ${key} not null, created_at ${key} not null,
      updated_at ${key} not null, deleted_at ${key}, custom_fields text not null, ${identity})`,
    `create index ${table}_created on ${table} (workspace_id, created_at desc, id, deleted_at) where deleted_at is null`,
    `create index ${table}_updated on ${table} (workspace_id, updated_at desc, id, deleted_at) where deleted_at is null`,
    `create index ${table}_named on ${table} (workspace_id, name_key, id, deleted_at) where deleted_at is null`,
    `create index ${table}_creator on ${table} (workspace_id, creator_id, created_at desc, id) where deleted_at is null`,
    `create index ${table}_deleted on ${table} (workspace_id, deleted_at, id) where deleted_at is not null`,
    ...references.map((reference) => {
      const column = reference.split(' ')[0]
      return `create index ${table}_${column} on ${table} (workspace_id, ${column}, created_at desc, id) where deleted_at is null`
    }),
  ]
}

function fieldValues({ key, dialect }: Words): string[] {
  // SQLite keeps the rows in the primary key itself: beside one another for each record, and no index more.
  const clustered = dialect === 'sqlite' ? 'without rowid' : ''
  return [
    `create table field_values (
      workspace_id ${key} not null, record_id ${key} not null, field_id ${key} not null, place integer not null,
      match_key ${key}, number_key double precision, host_key ${key}, exact text, created_at ${key} not null,
      primary key (workspace_id, record_id, field_id, place)) ${clustered}`,
    `create index field_values_match on field_values (workspace_id, field_id, match_key, created_at desc, record_id)
      where match_key is not null`,
    `create index field_values_number on field_values (workspace_id, field_id, number_key, created_at desc, record_id)
      where number_key is not null`,
    `create index field_values_host on field_values (workspace_id, field_id, host_key, created_at desc, record_id)
      where host_key is not null`,
  ]
}

function links({ key }: Words): string[] {
  return [
    `create table links (
      workspace_id ${key} not null, from_type ${key} not null, from_id ${key} not null, relation ${key} not null,
      to_id ${key} not null, primary key (workspace_id, from_id, relation, to_id))`,
    'create index links_to on links (workspace_id, to_id, from_type, relation, from_id)',
  ]
}

const sqliteSearch = [
  'create table shelves (seq integer primary key, workspace_id text not null, name text not null, unique (workspace_id, name))',
  'create table search_texts (seq integer primary key, record_id text not null, text text not null)',
  `create virtual table search using fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1')`,
  `create trigger search_texts_put after insert on search_texts begin
    insert or replace into search (rowid, text) values (new.seq, new.text); end`,
  `create trigger search_texts_removed after delete on search_texts begin
    delete from search where rowid = old.seq; end`,
]

const postgresSearch = [
  'create extension if not exists pg_trgm',
  'create extension if not exists btree_gin',
  `create table search_texts (
    workspace_id text collate "C" not null, shelf text collate "C" not null, record_id text collate "C" not null,
    text text collate "C" not null, primary key (workspace_id, record_id, shelf))`,
  'create index search_texts_trigrams on search_texts using gin (workspace_id, shelf, text gin_trgm_ops)',
]

/** Only PostgreSQL serves several processes; where one process is all there is, the windows live in its memory. */
const postgresRateLimits = [
  `create unlogged table rate_windows (
    key text collate "C" primary key, ends timestamptz not null, spent integer not null) with (fillfactor = 50)`,
  `create function spend_from_buckets(keys text[], limits integer[], window_ms integer)
    returns table (key text, spent integer, wait_ms integer, taken boolean) language plpgsql as $$
    declare
      at timestamptz := clock_timestamp();
      has_room boolean;
    begin
      insert into rate_windows as w (key, ends, spent)
        select k, at + window_ms * interval '1 millisecond', 0 from unnest(keys) k order by k
        on conflict on constraint rate_windows_pkey do update
        set ends = case when w.ends <= at or w.spent = 0 then excluded.ends else w.ends end,
            spent = case when w.ends <= at then 0 else w.spent end;
      select bool_and(w.spent < b.most) into has_room
        from unnest(keys, limits) as b (k, most) join rate_windows w on w.key = b.k;
      if has_room then
        update rate_windows w set spent = w.spent + 1 where w.key = any (keys);
      end if;
      return query select w.key, w.spent,
        case when not has_room and w.spent >= b.most
          then ceil(extract(epoch from w.ends - at) * 1000)::integer else 0 end, has_room
        from unnest(keys, limits) as b (k, most) join rate_windows w on w.key = b.k;
    end $$`,
]

/** Those who write records share the lock, whoever changes the fields has it alone; the version is read once it is held. */
const postgresFields = [
  `create function hold_fields(workspace text, number bigint) returns integer language plpgsql volatile as $$
    begin
      perform pg_advisory_xact_lock_shared(number);
      return (select fields_version from workspaces where id = workspace);
    end $$`,
]
