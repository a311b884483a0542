import { expect } from 'vitest'
import type { Engine } from '../../../src/storage/engines/engine.ts'
import type { Ran } from '../../../src/storage/engines/recorded.ts'
import type { Intended } from './plan-cases.ts'
import { plansOf } from './plan-of.ts'

/** Unless a case says otherwise, for a hundred records and what belongs to them. */
const LOOKS = 250
const feed = ['change_heads_pkey', 'changes_pkey']
/** Of these a workspace has few rows, or a statement reads only the last one. */
const SMALL = ['record_counts_pkey', 'members_pkey', 'members_user', ...feed]

/** Every statement finds its rows by indexes, and reads none of them whole that is not meant to be. */
export async function expectPlans(engine: Engine, statements: readonly Ran[], intended: Intended): Promise<void> {
  const { uses, walks = [], counts = [], looks = LOOKS } = intended
  const used = new Set<string>()
  for (const ran of statements.filter(isPlanned)) {
    const counting = /as (total|size)\b/.test(ran.sql)
    const whole = new Set([...SMALL, ...(counting ? counts : walks)])
    for (const plan of await plansOf(engine, ran)) {
      for (const index of plan.indexes) used.add(index)
      const told = `${ran.sql}\n${plan.text}`
      expect(plan.scanned, told).toEqual([])
      expect(
        plan.walked.map(({ index }) => index).filter((index) => !whole.has(index)),
        told,
      ).toEqual([])
      if (!counting) expect(plan.looked ?? 0, told).toBeLessThanOrEqual(looks)
    }
  }
  for (const names of uses) expect(names.split('|').filter((name) => used.has(name))).not.toEqual([])
}

/**
 * A list waits for a remote database three times at most: for the live count, the widths of the sets, the page with its
 * total.
 */
export function expectFewWaits(engine: Engine, statements: readonly Ran[]): void {
  if (!engine.remote) return
  expect(
    Math.max(...statements.map(({ waits }) => waits + 1)),
    statements.map(({ sql }) => sql).join('\n'),
  ).toBeLessThanOrEqual(3)
}

/** What only puts rows in or takes a lock has nothing to find. */
function isPlanned({ sql }: Ran): boolean {
  return !/^\s*(insert|savepoint|release|rollback|select (pg_advisory|hold_fields))/i.test(sql)
}
