import type { JobContext } from '../job-type.ts'
import { BROKEN_ROW, ROW_TRIES, rowByRow } from './broken-rows.ts'
import type { RowEntry } from './row-entry.ts'

/** Writes the rows of a chunk. Returns how many rows of the file are done; undefined if the job does not go on here. */
export async function writeRows(
  context: JobContext,
  entries: readonly RowEntry[],
  done: number,
): Promise<number | undefined> {
  const reply = await context.attempt('import-rows', { done, entries })
  return reply === 'broken' ? writeOneByOne(context, entries, done) : reply?.done
}

async function writeOneByOne(
  context: JobContext,
  entries: readonly RowEntry[],
  done: number,
): Promise<number | undefined> {
  const writeOne = rowByRow(context)
  let reached = done
  for (const entry of entries) {
    // An attempt whose response was lost may have done some of the rows.
    if (entry.row <= reached) continue
    const { row, source } = entry
    const failed: RowEntry = { row, source, failure: { message: BROKEN_ROW, errors: null } }
    const reply = await writeOne({
      attempt: () => context.attempt('import-rows', { done: reached, entries: [entry] }, ROW_TRIES),
      note: () => context.step('import-rows', { done: reached, entries: [failed] }),
    })
    if (!reply) return undefined
    reached = reply.done
  }
  return reached
}
