import { keyMove } from '../record-table.ts'
import type { Words } from '../words.ts'

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
