import { type Migration, statements } from './words.ts'

/**
 * Merges are kept. One index finds those whose undo data the upkeep still has to delete, the other what was merged into
 * a record.
 */
export const merges: Migration = {
  name: '0006-merges',
  statements: () =>
    statements(`
      create index merges_undoable on merges (created_at) where changes <> '';
      create index merges_winner on merges (workspace_id, winner_id) where undone_at is null`),
}
