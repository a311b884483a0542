import type { Migration } from './words.ts'

/** Merges are kept. The index finds those whose undo data the upkeep still has to delete. */
export const merges: Migration = {
  name: '0006-merges',
  statements: () => ["create index merges_undoable on merges (created_at) where changes <> ''"],
}
