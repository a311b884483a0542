import type { JobContext } from '../job-type.ts'

/** Undoes an import, some rows at a time. */
export async function runUndo(context: JobContext): Promise<void> {
  const { job, stopped } = context
  for (let left = job.rows - job.done; left > 0; ) {
    const reply = await context.step('undo-rows', {})
    if (!reply || stopped.aborted) return
    // Rows that are no longer there.
    if (job.rows - reply.done === left) break
    left = job.rows - reply.done
  }
  await context.step('finish', {})
}
