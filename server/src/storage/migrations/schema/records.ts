import { keyMove, type RecordTable, recordTable } from '../record-table.ts'
import { statements, type Words } from '../words.ts'

const recordTables: readonly RecordTable[] = [
  { name: 'companies', label: 'name', references: ['account_owner_id'] },
  { name: 'people', label: 'name', references: ['company_id'] },
  { name: 'opportunities', label: 'name', references: ['company_id', 'contact_id'] },
  { name: 'tasks', label: 'title', references: [] },
  { name: 'notes', label: 'title', references: [] },
]

/**
 * The record tables, the index over their values, the numbers of live records, and what links, merges and audits them.
 * SQLite stores the rows of some tables in their primary key: the values of a record are adjacent, without another
 * index, and an index of such a table holds the whole primary key. Record counts have several slots, so that writers
 * rarely wait for the same row.
 *
 * One index of `merges` finds those whose undo data the upkeep still has to delete, the other what was merged into a
 * record. `external_ids.live` says whether the record is live: only live records hold an id alone.
 *
 * The id of an audit entry begins with its time. The creation of a record is stored under the record's own id, without
 * `record_id`: one row in one place, because creating is the most frequent write.
 */
export function records(words: Words): string[] {
  const { key, dialect } = words
  const [clustered, covering] = dialect === 'sqlite' ? ['without rowid', ''] : ['', 'include (record_id)']
  const valueIndex = (column: string) => `(workspace_id, field_id, ${column}, created_at desc, record_id)
      where ${column} is not null`
  const own = statements(`
    create table field_values (
      workspace_id ${key} not null, record_id ${key} not null, field_id ${key} not null, place integer not null,
      match_key ${key}, number_key double precision, host_key ${key}, exact text, created_at ${key} not null,
      primary key (workspace_id, record_id, field_id, place)) ${clustered};
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
      workspace_id ${key} not null, merge_id ${key} not null, record_id ${key} not null,
      primary key (workspace_id, record_id, merge_id));
    create index merge_losers_merge on merge_losers (workspace_id, merge_id, record_id);
    create table merge_moves (
      workspace_id ${key} not null, merge_id ${key} not null, resource ${key} not null, relation ${key} not null,
      record_id ${key} not null, from_id ${key} not null, added integer not null,
      primary key (workspace_id, merge_id, resource, relation, record_id, from_id));

    create table external_ids (
      workspace_id ${key} not null references workspaces (id), record_id ${key} not null, namespace ${key} not null,
      external_id ${key} not null, resource ${key} not null, position integer not null, live integer not null,
      primary key (workspace_id, record_id, namespace, external_id)) ${clustered};
    create unique index external_ids_held on external_ids (workspace_id, resource, namespace, external_id)
      ${covering} where live = 1;

    create table audit_log (
      workspace_id ${key} not null, resource ${key} not null, id ${key} not null, action ${key} not null,
      actor_id ${key}, source ${key} not null, token_id ${key}, record_id ${key}, name text, changes text,
      primary key (workspace_id, resource, id)) ${clustered};
    create index audit_log_record on audit_log (workspace_id, record_id, id) where record_id is not null`)
  return [...recordTables.flatMap((table) => recordTable(words, table)), ...own]
}

/**
 * The sort keys that a record had before its name or time of change was written. Triggers insert the rows, so no way of
 * writing can forget it. An open cursor still finds the record at its old place.
 */
export function keyMoves(words: Words): string[] {
  return [
    table(words),
    ...(words.dialect === 'sqlite'
      ? ['create index key_moves_record on key_moves (workspace_id, record_id)']
      : [postgresFunction]),
    'create index key_moves_named on key_moves (workspace_id, resource, name_key, record_id)',
    'create index key_moves_updated on key_moves (workspace_id, resource, updated_at, record_id)',
  ]
}

function table({ dialect, key }: Words): string {
  const columns = `workspace_id ${key} not null, resource ${key} not null, record_id ${key} not null,
    name_key ${key} not null, updated_at ${key} not null, moved_at ${key} not null`
  // SQLite has one writer, so `seq` follows the order of the commits. In PostgreSQL only the number of the transaction
  // tells which rows a cursor may have missed; `seq` is the order of the rows of one record.
  return dialect === 'sqlite'
    ? `create table key_moves (seq integer primary key autoincrement, ${columns})`
    : `create table key_moves (
        seq bigint generated always as identity,
        clock bigint not null default (pg_current_xact_id()::text::bigint), ${columns},
        primary key (workspace_id, record_id, clock, seq))`
}

const postgresFunction = `create function keep_key_move() returns trigger language plpgsql as $$
  begin
    ${keyMove('tg_table_name')}
    return null;
  end $$`
