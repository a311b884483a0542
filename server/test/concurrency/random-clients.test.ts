import { expect, it } from 'vitest'
import { inRun } from '../run-length.ts'
import { checkAccess } from './check-access.ts'
import { checkAudit } from './check-audit.ts'
import { checkConditions } from './check-conditions.ts'
import { checkDeletions } from './check-deletions.ts'
import { checkEnd } from './check-end.ts'
import { checkRelations, checkRows, checkStatuses, checkTotals } from './check-lists.ts'
import { checkReferences } from './check-references.ts'
import { checkRegisters } from './check-registers.ts'
import { checkScans } from './check-scans.ts'
import { checkUnique } from './check-unique.ts'
import { openPlace } from './place.ts'
import { missingDeeds, runClients } from './random-clients.ts'
import { concurrencySettings } from './settings.ts'
import type { RandomRun } from './world.ts'

const STEPS = inRun({ short: 200, long: 1500 })
const CONCURRENCY_MS = 12_000
/** A failure shows so many problems of each kind. */
const SHOWN = 3

const { seed, rounds } = concurrencySettings()

/** Each is a sentence about the whole history of a random run. */
const checks: Readonly<Record<string, (run: RandomRun) => string[] | Promise<string[]>>> = {
  'every kind of operation took place': missingDeeds,
  'every answer has a status that is expected': ({ history }) => checkStatuses(history),
  'tokens work as long as they should': ({ history }) => history.problems,
  'each record is linearizable, and reads never go backwards': ({ history }) => checkRegisters(history),
  'deletions and restores are part of that order': checkDeletions,
  'If-Match only lets through what knows the current version': ({ history }) => checkConditions(history),
  'every row of a list matches its filter': checkRows,
  'totals match rows': checkTotals,
  'relationships, counts and included records agree with attributes': checkRelations,
  'unique values are unique at all times': ({ history }) => checkUnique(history),
  'a scan by cursor shows each record exactly once': checkScans,
  'an acknowledged reference stays': ({ history }) => checkReferences(history),
  'a role decides from the moment it is given': checkAccess,
  'the audit log has one entry for each acknowledged change': checkAudit,
  'the index, the counts and the references are right at the end': checkEnd,
}

it('everything at once is as if one thing came after the other', { timeout: 3_600_000 }, async () => {
  const place = await openPlace()
  const failures: string[] = []
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now()
    const own = rounds === 1 ? seed : `${seed}-${round}`
    const run = await runClients(place, { seed: own, steps: STEPS, ms: CONCURRENCY_MS })
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    const found = await broken(run)
    console.log(`run ${own}: ${run.history.calls.length} calls in ${seconds} s, ${found.length} rules broken`)
    failures.push(...found.map((text) => `CONCURRENCY_SEED=${own}: ${text}`))
  }
  expect(failures.join('\n\n')).toBe('')
})

async function broken(run: RandomRun): Promise<string[]> {
  const found: string[] = []
  for (const [sentence, check] of Object.entries(checks)) {
    const problems = await check(run)
    if (problems.length === 0) continue
    found.push([`Not so: ${sentence} (${problems.length} times).`, ...problems.slice(0, SHOWN)].join('\n'))
  }
  return found
}
