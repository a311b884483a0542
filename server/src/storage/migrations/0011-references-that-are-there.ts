import type { Migration } from './words.ts'

/** A record that refers to nothing takes no place in the index of what records refer to. */
export const referencesThatAreThere: Migration = {
  name: '0011-references-that-are-there',
  statements: () =>
    references.flatMap(([table, column]) => [
      `drop index ${table}_${column}`,
      `create index ${table}_${column} on ${table} (workspace_id, ${column}, created_at desc, id)
        where deleted_at is null and ${column} is not null`,
    ]),
}

const references = [
  ['companies', 'account_owner_id'],
  ['people', 'company_id'],
  ['opportunities', 'company_id'],
  ['opportunities', 'contact_id'],
]
