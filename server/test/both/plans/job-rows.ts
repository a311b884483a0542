import { newId } from '@kith/contract/id'
import { inTransaction, type Scope } from '../../../src/scope/scope.ts'
import { insertJobClaims, insertResults } from '../../../src/storage/tables/jobs.ts'

const JOBS = 20
const ROWS = 1000
const nothing = { change_id: null, missing: null, message: null, errors: null, source: null }

/** Stores results and claims of many jobs. Returns one of the jobs, and the records of its rows. */
export function fillJobs(scope: Scope): Promise<{ job: string; records: string[] }> {
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const outcome = index % 100 === 7 ? ('failed' as const) : ('created' as const)
    return { ...nothing, row: index + 1, outcome, record_id: newId(Date.now()) }
  })
  return inTransaction(scope, async (inside) => {
    let job = ''
    for (let count = 0; count < JOBS; count++) {
      job = newId(Date.now())
      await insertResults(inside, job, rows)
      const claims = rows.map(({ row, record_id }) => ({ claim: record_id, record_id, row }))
      await insertJobClaims(inside, job, claims)
    }
    return { job, records: rows.map(({ record_id }) => record_id) }
  })
}
