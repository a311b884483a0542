import type { Migration, Words } from './words.ts'

const records = ['companies', 'people', 'opportunities', 'tasks', 'notes']

/** Who deleted a record, which records became one and how to part them again, and who changed what. */
export const trashMergesAudit: Migration = {
  name: '0003-trash-merges-audit',
  statements: (words) => [
    ...records.map((table) => `alter table ${table} add column deleted_by ${words.key}`),
    ...merges(words),
    ...audit(words),
  ],
}

function merges({ key }: Words): string[] {
  return [
    `create table merges (
      workspace_id ${key} not null references workspaces (id), id ${key} not null, resource ${key} not null,
      winner_id ${key} not null, actor_id ${key}, created_at ${key} not null, undone_at ${key}, changes text not null,
      primary key (workspace_id, id))`,
    `create table merge_losers (
      workspace_id ${key} not null, merge_id ${key} not null, record_id ${key} not null,
      primary key (workspace_id, record_id, merge_id))`,
    'create index merge_losers_merge on merge_losers (workspace_id, merge_id, record_id)',
    `create table merge_moves (
      workspace_id ${key} not null, merge_id ${key} not null, resource ${key} not null, relation ${key} not null,
      record_id ${key} not null, from_id ${key} not null, added integer not null,
      primary key (workspace_id, merge_id, resource, relation, record_id, from_id))`,
  ]
}

/**
 * The id of an entry begins with its moment. That a record was made is kept under the record's own id, without
 * `record_id`, so that it costs one row in one place: creating is what happens most.
 */
function audit({ key, dialect }: Words): string[] {
  const clustered = dialect === 'sqlite' ? 'without rowid' : ''
  return [
    `create table audit_log (
      workspace_id ${key} not null, resource ${key} not null, id ${key} not null, action ${key} not null,
      actor_id ${key}, source ${key} not null, token_id ${key}, record_id ${key}, name text, changes text,
      primary key (workspace_id, resource, id)) ${clustered}`,
    'create index audit_log_record on audit_log (workspace_id, record_id, id) where record_id is not null',
  ]
}
