import type { Words } from './words.ts'

export type RecordTable = { name: string; label: 'name' | 'title'; references: readonly string[] }

/**
 * The table of a resource, with its indexes and the trigger that records old sort keys. Likely duplicates are found by
 * `duplicate_key`, which is empty for records without a name.
 */
export function recordTable({ key, rowNumber, dialect }: Words, { name, label, references }: RecordTable): string[] {
  const identity = dialect === 'sqlite' ? 'unique (workspace_id, id)' : 'primary key (workspace_id, id)'
  const own = references.map((column) => `${column} ${key},`).join(' ')
  const live = 'where deleted_at is null'
  return [
    `create table ${name} (
      ${rowNumber} workspace_id ${key} not null references workspaces (id), id ${key} not null, ${label} text not null,
      name_key ${key} not null, ${own} creator_id ${key}, creation_source ${key} not null, created_at ${key} not null,
      updated_at ${key} not null, deleted_at ${key}, custom_fields text not null, deleted_by ${key},
      duplicate_key ${key} not null, ${identity})`,
    `create index ${name}_created on ${name} (workspace_id, created_at desc, id, deleted_at) ${live}`,
    `create index ${name}_updated on ${name} (workspace_id, updated_at desc, id, deleted_at) ${live}`,
    `create index ${name}_named on ${name} (workspace_id, name_key, id, deleted_at) ${live}`,
    `create index ${name}_creator on ${name} (workspace_id, creator_id, created_at desc, id) ${live}`,
    `create index ${name}_deleted on ${name} (workspace_id, deleted_at, id) where deleted_at is not null`,
    ...references.map(
      (column) => `create index ${name}_${column} on ${name} (workspace_id, ${column}, created_at desc, id)
        ${live} and ${column} is not null`,
    ),
    ...(label === 'name'
      ? [
          `create index ${name}_duplicate on ${name} (workspace_id, duplicate_key, id, deleted_at)
            ${live} and duplicate_key <> ''`,
        ]
      : []),
    dialect === 'sqlite' ? sqliteTrigger(name) : postgresTrigger(name),
  ]
}

/** Inserts the old sort keys of a record. */
export const keyMove = (name: string) =>
  `insert into key_moves (workspace_id, resource, record_id, name_key, updated_at, moved_at)
   values (old.workspace_id, ${name}, old.id, old.name_key, old.updated_at, new.updated_at);`

function sqliteTrigger(name: string): string {
  return `create trigger ${name}_moved after update of name_key, updated_at on ${name}
    when old.name_key <> new.name_key or old.updated_at <> new.updated_at begin ${keyMove(`'${name}'`)} end`
}

function postgresTrigger(name: string): string {
  return `create trigger ${name}_moved after update of name_key, updated_at on ${name} for each row
    when (old.name_key <> new.name_key or old.updated_at <> new.updated_at) execute function keep_key_move()`
}
