import { type Dialect, statements } from '../migration.ts'

/**
 * The records of all resources, the index over their values, the numbers of live records, and what links, merges and
 * audits them. Tables that only storage reads refer to records, workspaces, resources and fields by their numbers:
 * `workspace`, `resource`, `record`, `field`. `name` is the name or title.
 *
 * SQLite stores the rows of some tables in their primary key: the values of a record are adjacent, without another
 * index, and an index of such a table holds the whole primary key. Record counts have several slots, so that writers
 * rarely wait for the same row.
 *
 * Likely duplicates are found by `duplicate_key`, which is empty for records without a name. One index of `merges`
 * finds those whose undo data the upkeep still has to delete, the other what was merged into a record.
 * `external_ids.live` says whether the record is live: only live records hold an id alone.
 *
 * The id of an audit entry begins with its time. The creation of a record is stored under the record's own id, without
 * `record_id`: one row in one place, because creating is the most frequent write. `change_values` has the values that
 * an audit entry shortens, in full, for 30 days. `undo_of` is the change that an entry undoes, `cause` the one that
 * caused it, `save_of` the first of the automatic saves that it is one of.
 */
export function records(dialect: Dialect): string[] {
  const { key, database } = dialect
  const [clustered, covering] = database === 'sqlite' ? ['without rowid', ''] : ['', 'include (record_id)']
  const live = 'where deleted_at is null'
  const [oftenVacuumed, vacuumed] = database === 'sqlite' ? [clustered, ''] : [vacuumAfter(0.005), vacuumAfter(0.02)]
  // SQLite stores the rows of a table by such a number, and each of its indexes has it.
  const [number, primary, page, numbered] =
    database === 'sqlite'
      ? ['number integer primary key', '', ', deleted_at', '']
      : ['number bigint not null', ', primary key (workspace, number)', '', 'include (number)']
  const referring = (column: string) =>
    `create index records_${column} on records (workspace, resource, ${column}, created_at desc, id) ${numbered}
      ${live} and ${column} is not null;`
  const valueIndex = (column: string) => `(workspace, field, ${column}, created_at desc, record)
      where ${column} is not null`
  const own = statements(`
    create table records (
      ${number}, workspace integer not null references workspaces (number), resource integer not null,
      id ${key} not null, name text not null, name_key ${key} not null, account_owner_id ${key}, owner_id ${key},
      company_id ${key}, contact_id ${key}, creator_id ${key}, creation_source ${key} not null,
      created_at ${key} not null, updated_at ${key} not null, deleted_at ${key}, custom_fields text not null,
      deleted_by ${key}, duplicate_key ${key} not null,
      constraint records_id unique (workspace, resource, id)${primary}) ${vacuumed};
    create index records_created on records (workspace, resource, created_at desc, id${page}) ${numbered} ${live};
    create index records_updated on records (workspace, resource, updated_at desc, id${page}) ${numbered} ${live};
    create index records_named on records (workspace, resource, name_key, id${page}) ${numbered} ${live};
    create index records_creator on records (workspace, resource, creator_id, created_at desc, id) ${numbered} ${live};
    create index records_deleted on records (workspace, resource, deleted_at, id) where deleted_at is not null;
    ${['account_owner_id', 'owner_id', 'company_id', 'contact_id'].map(referring).join('\n    ')}
    create index records_duplicate on records (workspace, resource, duplicate_key, id${page}) ${numbered}
      ${live} and duplicate_key <> '';

    create table resources (
      workspace_id ${key} not null references workspaces (id), number integer not null, code ${key} not null,
      singular_code ${key} not null, name text not null, singular text not null, description text, icon ${key},
      color ${key}, position integer not null, created_at ${key} not null, updated_at ${key} not null,
      archived_at ${key}, since ${key}, deleted_at ${key}, purged_at ${key}, primary key (workspace_id, number));

    create table field_values (
      workspace integer not null, record bigint not null, field integer not null, place integer not null,
      match_key ${key}, number_key double precision, host_key ${key}, exact text, created_at ${key} not null,
      primary key (workspace, record, field, place)) ${oftenVacuumed};
    create index field_values_match on field_values ${valueIndex('match_key')};
    create index field_values_number on field_values ${valueIndex('number_key')};
    create index field_values_host on field_values ${valueIndex('host_key')};

    create table record_counts (
      workspace_id ${key} not null, resource ${key} not null, slot integer not null, live integer not null,
      version bigint not null, primary key (workspace_id, resource, slot));

    create table links (
      workspace_id ${key} not null, from_type ${key} not null, from_id ${key} not null, relation ${key} not null,
      to_id ${key} not null, primary key (workspace_id, from_id, relation, to_id));
    create index links_to on links (workspace_id, to_id, from_type, relation, from_id);

    create table merges (
      workspace_id ${key} not null references workspaces (id), id ${key} not null, resource ${key} not null,
      winner_id ${key} not null, actor_id ${key}, created_at ${key} not null, undone_at ${key}, changes text not null,
      primary key (workspace_id, id));
    create index merges_undoable on merges (created_at) where changes <> '';
    create index merges_winner on merges (workspace_id, winner_id) where undone_at is null;
    create table merge_losers (
      workspace_id ${key} not null, merge_id ${key} not null, record_id ${key} not null, change_id ${key} not null,
      primary key (workspace_id, record_id, merge_id));
    create index merge_losers_merge on merge_losers (workspace_id, merge_id, record_id);
    create table merge_moves (
      workspace_id ${key} not null, merge_id ${key} not null, resource ${key} not null, relation ${key} not null,
      record_id ${key} not null, from_id ${key} not null, added integer not null, before text,
      primary key (workspace_id, merge_id, resource, relation, record_id, from_id));

    create table external_ids (
      workspace_id ${key} not null references workspaces (id), record_id ${key} not null, namespace ${key} not null,
      external_id ${key} not null, resource integer not null, position integer not null, live integer not null,
      primary key (workspace_id, record_id, namespace, external_id)) ${clustered};
    create unique index external_ids_held on external_ids (workspace_id, resource, namespace, external_id)
      ${covering} where live = 1;

    create table audit_log (
      workspace_id ${key} not null, resource ${key} not null, id ${key} not null, action ${key} not null,
      actor_id ${key}, source ${key} not null, token_id ${key}, record_id ${key}, name text, changes text,
      undo_of ${key}, cause ${key}, save_of ${key}, primary key (workspace_id, resource, id)) ${clustered};
    create index audit_log_record on audit_log (workspace_id, record_id, id) where record_id is not null;
    create index audit_log_undo_of on audit_log (workspace_id, undo_of, id) where undo_of is not null;
    create index audit_log_save_of on audit_log (workspace_id, save_of, id) where save_of is not null;
    create table change_values (
      workspace_id ${key} not null, change_id ${key} not null, field ${key} not null, resource ${key} not null,
      record_id ${key} not null, before text not null, after text not null,
      primary key (workspace_id, change_id, field));
    create index change_values_record on change_values (workspace_id, record_id);
    create index change_values_field on change_values (workspace_id, resource, field)`)
  return [...own, ...(database === 'sqlite' ? sqliteTrigger : postgresTrigger)]
}

/**
 * Totals are counted from indexes, which PostgreSQL can do without the table only for pages that it has vacuumed since
 * their last change. By default it waits until a fifth of all rows has changed. By then almost every page has a changed
 * row, and a total takes twice as long. `share` is smaller for smaller rows, of which a page has more.
 */
function vacuumAfter(share: number): string {
  return `with (autovacuum_vacuum_scale_factor = ${share}, autovacuum_vacuum_insert_scale_factor = ${share})`
}

/**
 * The files of records (decision 33). `file_contents` has a row for each content that is stored or about to be, under
 * its hash: `claim` is the id of the latest upload of it, `removing` that of its removal.
 */
export function files({ key }: Dialect): string[] {
  return statements(`
    create table file_contents (
      workspace_id ${key} not null references workspaces (id), sha256 ${key} not null, size bigint not null,
      claim ${key} not null, removing ${key}, primary key (workspace_id, sha256));
    create table files (
      workspace_id ${key} not null references workspaces (id), id ${key} not null, resource integer not null,
      record_id ${key} not null, name text not null, content_type text not null, size bigint not null,
      sha256 ${key} not null, created_at ${key} not null, updated_at ${key} not null, creator_id ${key},
      deleted_at ${key}, primary key (workspace_id, id));
    create index files_record on files (workspace_id, record_id, id desc);
    create index files_content on files (workspace_id, sha256);
    create index files_deleted on files (workspace_id, deleted_at) where deleted_at is not null`)
}

/** The comments on records (decision 36). `reply_to` is a comment of the same record. */
export function comments({ key }: Dialect): string[] {
  return statements(`
    create table comments (
      workspace_id ${key} not null references workspaces (id), id ${key} not null, resource integer not null,
      record_id ${key} not null, body text not null, reply_to ${key}, created_at ${key} not null,
      updated_at ${key} not null, creator_id ${key}, deleted_at ${key}, primary key (workspace_id, id));
    create index comments_record on comments (workspace_id, record_id, id);
    create index comments_replies on comments (workspace_id, reply_to, id) where reply_to is not null;
    create index comments_deleted on comments (workspace_id, deleted_at) where deleted_at is not null`)
}

/** Inserts the old sort keys of a record. */
const keyMove = `insert into key_moves (workspace, resource, record, name_key, updated_at, moved_at)
   values (old.workspace, old.resource, old.number, old.name_key, old.updated_at, new.updated_at);`

const moves = 'after update of name_key, updated_at on records'
const moved = 'when (old.name_key <> new.name_key or old.updated_at <> new.updated_at)'

const sqliteTrigger = [`create trigger records_moved ${moves} ${moved} begin ${keyMove} end`]

const postgresTrigger = [`create trigger records_moved ${moves} for each row ${moved} execute function keep_key_move()`]

/**
 * The sort keys that a record had before its name or time of change was written. Triggers insert the rows, so no way of
 * writing can forget it. An open cursor still finds the record at its old place.
 */
export function keyMoves(dialect: Dialect): string[] {
  return [
    table(dialect),
    ...(dialect.database === 'sqlite'
      ? ['create index key_moves_record on key_moves (workspace, record)']
      : [postgresFunction]),
    'create index key_moves_named on key_moves (workspace, resource, name_key, record)',
    'create index key_moves_updated on key_moves (workspace, resource, updated_at, record)',
  ]
}

function table({ database, key }: Dialect): string {
  const columns = `workspace integer not null, resource integer not null, record bigint not null,
    name_key ${key} not null, updated_at ${key} not null, moved_at ${key} not null`
  // SQLite has one writer, so `seq` follows the order of the commits. In PostgreSQL only the number of the transaction
  // tells which rows a cursor may have missed; `seq` is the order of the rows of one record.
  return database === 'sqlite'
    ? `create table key_moves (seq integer primary key autoincrement, ${columns})`
    : `create table key_moves (
        seq bigint generated always as identity,
        clock bigint not null default (pg_current_xact_id()::text::bigint), ${columns},
        primary key (workspace, record, clock, seq))`
}

const postgresFunction = `create function keep_key_move() returns trigger language plpgsql as $$
  begin
    ${keyMove}
    return null;
  end $$`

/** The trigram index over names and text fields. */
export function search({ database }: Dialect): string[] {
  return database === 'sqlite' ? sqliteSearch : postgresSearch
}

/**
 * The triggers note which texts changed. The FTS index gets them in batches (transactions.ts). It has no positions:
 * every match is compared with its text anyway, and without them the index has a third of the size. By default, FTS5
 * merges parts of the index of which a tenth is deleted: when many texts were replaced, single commits took seconds.
 */
const sqliteSearch = [
  `create table search_fields (
    seq integer primary key, workspace integer not null, field integer not null, unique (workspace, field))`,
  'create table search_texts (seq integer primary key, text text not null)',
  `create virtual table search using fts5 (text, content = '', contentless_delete = 1,
    tokenize = 'trigram case_sensitive 1', detail = none)`,
  `insert into search (search, rank) values ('deletemerge', 50)`,
  'create table search_fresh (seq integer primary key)',
  `create trigger search_texts_put after insert on search_texts begin
    insert or ignore into search_fresh (seq) values (new.seq); end`,
  `create trigger search_texts_removed after delete on search_texts begin
    insert or ignore into search_fresh (seq) values (old.seq); end`,
]

/**
 * New texts wait in a pending list, which every search reads from end to end. The default limit of four megabytes makes
 * a search 2.5 times slower after 4,000 new names, so the list is kept short.
 */
const postgresSearch = [
  'create extension if not exists pg_trgm',
  'create extension if not exists btree_gin',
  `create table search_texts (
    workspace integer not null, field integer not null, record bigint not null, text text collate "C" not null,
    primary key (workspace, record, field))`,
  `create index search_texts_trigrams on search_texts using gin (workspace, field, text gin_trgm_ops)
    with (gin_pending_list_limit = 256)`,
]
