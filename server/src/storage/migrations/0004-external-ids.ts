import { type Migration, statements } from './words.ts'

/**
 * The ids that other systems have for records. `live` says whether the record is live: only live records hold an id
 * alone. The rows of a record are adjacent, and the index finds the holder of an id.
 */
export const externalIds: Migration = {
  name: '0004-external-ids',
  statements({ key, dialect }) {
    // In SQLite an index of such a table holds the whole primary key, so that both find the record in the index itself.
    const [clustered, covering] = dialect === 'sqlite' ? ['without rowid', ''] : ['', 'include (record_id)']
    return statements(`
      create table external_ids (
        workspace_id ${key} not null references workspaces (id), record_id ${key} not null, namespace ${key} not null,
        external_id ${key} not null, resource ${key} not null, position integer not null, live integer not null,
        primary key (workspace_id, record_id, namespace, external_id)) ${clustered};
      create unique index external_ids_held on external_ids (workspace_id, resource, namespace, external_id)
        ${covering} where live = 1`)
  },
}
