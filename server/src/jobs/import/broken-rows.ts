import type { JobContext } from '../job-type.ts'
import type { StepReply } from '../step.ts'

/** What the result of a row says that fails inside. */
export const BROKEN_ROW = 'The row failed inside. The log of the service has the details.'

/** If so many rows of a chunk fail inside, the rows are not the cause. */
const BROKEN_MAX = 10
/** They were tried with the chunk already. */
export const ROW_TRIES = 2
const TOO_MANY = `${BROKEN_MAX} rows failed inside. What was done stays. The log of the service has the details.`

type OneRow = {
  attempt(): ReturnType<JobContext['attempt']>
  /** Notes the row as failed. */
  note(): Promise<StepReply | undefined>
}

/** Does the rows of a chunk that failed inside one at a time, so that only the bad ones fail. */
export function rowByRow(context: JobContext): (row: OneRow) => Promise<StepReply | undefined> {
  let broken = 0
  return async ({ attempt, note }) => {
    const reply = await attempt()
    if (reply !== 'broken') return reply
    broken++
    const noted = await note()
    if (broken < BROKEN_MAX || !noted) return noted
    await context.step('fail', { message: TOO_MANY })
    return undefined
  }
}
