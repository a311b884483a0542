import type { Migration } from './words.ts'

/**
 * On PostgreSQL: new texts wait in a list before they go into the search index, and every search goes through that list from end to end. It is kept short: within the usual four
 * megabytes, 4,000 new names made a search two and a half times as long.
 */
export const shortPendingList: Migration = {
  name: '0009-short-pending-list',
  statements: ({ dialect }) =>
    dialect === 'postgres' ? ['alter index search_texts_trigrams set (gin_pending_list_limit = 256)'] : [],
}
