import { IMPORT_CHUNK_ROWS } from '@kith/contract/limits'
import type { JobContext } from '../job-type.ts'
import type { StepReply } from '../step.ts'
import { BROKEN_ROW, ROW_TRIES, rowByRow } from './broken-rows.ts'

/** Undoes an import, some rows at a time. */
export async function runUndo(context: JobContext): Promise<void> {
  const { job, stopped } = context
  for (let left = job.rows - job.done; left > 0; ) {
    const reply = await undoSome(context)
    if (!reply || stopped.aborted) return
    // Rows that are no longer there.
    if (job.rows - reply.done === left) break
    left = job.rows - reply.done
  }
  await context.step('finish', {})
}

async function undoSome(context: JobContext): Promise<StepReply | undefined> {
  const reply = await context.attempt('undo-rows', {})
  if (reply !== 'broken') return reply
  const undoOne = rowByRow(context)
  let last: StepReply | undefined
  for (let count = 0; count < IMPORT_CHUNK_ROWS; count++) {
    last = await undoOne({
      attempt: () => context.attempt('undo-rows', { limit: 1 }, ROW_TRIES),
      note: () => context.step('undo-rows', { limit: 1, failure: BROKEN_ROW }),
    })
    if (!last || last.done === context.job.rows) break
  }
  return last
}
