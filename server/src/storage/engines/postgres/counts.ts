import type { CountMove } from '../engine.ts'
import { type RowTexts, rowsStatement, type Statement } from './rows.ts'

const texts: RowTexts = {
  one: counted('values ($1, $2, $3, $4, 1)'),
  many: counted('select *, 1 from unnest($1::text[], $2::text[], $3::integer[], $4::integer[])'),
}

function counted(rows: string): string {
  return `insert into record_counts (workspace_id, resource, slot, live, version) ${rows}
   on conflict (workspace_id, resource, slot)
   do update set live = record_counts.live + excluded.live, version = record_counts.version + 1`
}

type Counts = { add(move: CountMove): void; statement(): Statement | undefined }

/**
 * What a transaction adds to the counts, written by one statement at its end. Other writers wait for these rows until
 * the transaction ends, so no statement that may wait comes after it, and all transactions lock them in the same order.
 */
export function newCounts(): Counts {
  const moves = new Map<string, CountMove>()
  return {
    add(move) {
      const name = `${move.workspaceId} ${move.resource}`
      const before = moves.get(name)
      moves.set(name, before ? { ...before, live: before.live + move.live } : move)
    },
    statement() {
      if (moves.size === 0) return undefined
      const ordered = [...moves].sort(([one], [other]) => (one < other ? -1 : 1))
      const rows = ordered.map(([, { workspaceId, resource, slot, live }]) => [workspaceId, resource, slot, live])
      return rowsStatement(texts, rows)
    },
  }
}
