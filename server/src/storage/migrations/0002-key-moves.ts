import type { Migration, Words } from './words.ts'

/**
 * Where a record stood before its name or its time of change moved: one row for each such write, made by the tables
 * themselves, so that no way of writing can forget it. Whoever walks a list meanwhile still finds the record at its old place.
 */
export const keyMoves: Migration = {
  name: '0002-key-moves',
  statements: (words) => [
    table(words),
    ...(words.dialect === 'sqlite'
      ? ['create index key_moves_record on key_moves (workspace_id, record_id)', ...tables.map(sqliteTrigger)]
      : [postgresFunction, ...tables.map(postgresTrigger)]),
    'create index key_moves_named on key_moves (workspace_id, resource, name_key, record_id)',
    'create index key_moves_updated on key_moves (workspace_id, resource, updated_at, record_id)',
  ],
}

const tables = ['companies', 'people', 'opportunities', 'tasks', 'notes']

function table({ dialect, key }: Words): string {
  const columns = `workspace_id ${key} not null, resource ${key} not null, record_id ${key} not null,
    name_key ${key} not null, updated_at ${key} not null, moved_at ${key} not null`
  // The one writer of SQLite numbers the moves in the order of their commits. In PostgreSQL only the transaction's own number tells
  // which moves a walk may have missed; `seq` says in which order those of one record came.
  return dialect === 'sqlite'
    ? `create table key_moves (seq integer primary key autoincrement, ${columns})`
    : `create table key_moves (
        seq bigint generated always as identity, clock bigint not null default (pg_current_xact_id()::text::bigint), ${columns},
        primary key (workspace_id, record_id, clock, seq))`
}

const values = (name: string) =>
  `insert into key_moves (workspace_id, resource, record_id, name_key, updated_at, moved_at)
   values (old.workspace_id, ${name}, old.id, old.name_key, old.updated_at, new.updated_at);`

function sqliteTrigger(name: string): string {
  return `create trigger ${name}_moved after update of name_key, updated_at on ${name}
    when old.name_key <> new.name_key or old.updated_at <> new.updated_at begin ${values(`'${name}'`)} end`
}

const postgresFunction = `create function keep_key_move() returns trigger language plpgsql as $$
  begin
    ${values('tg_table_name')}
    return null;
  end $$`

function postgresTrigger(name: string): string {
  return `create trigger ${name}_moved after update of name_key, updated_at on ${name} for each row
    when (old.name_key <> new.name_key or old.updated_at <> new.updated_at) execute function keep_key_move()`
}
