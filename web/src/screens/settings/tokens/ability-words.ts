import type { Ability } from '@kith/contract/abilities'

/** What each permission of a token allows, in the words of the API. */
export const abilityWords: Readonly<Record<Ability, { name: string; allows: string }>> = {
  read: { name: 'Read', allows: 'List, query and read records, custom fields and the user (GET, POST …/query)' },
  create: { name: 'Create', allows: 'Make new records (POST); with Update also create or update in one call (upsert)' },
  update: { name: 'Update', allows: 'Change records (PUT, PATCH)' },
  delete: { name: 'Delete', allows: 'Move records to the trash (DELETE)' },
}
