import { expect } from 'vitest'
import type { Engine } from '../src/storage/engines/engine.ts'
import { sql } from '../src/storage/engines/sql.ts'
import type { Answered } from './api.ts'
import { numberOf } from './stored-rows.ts'

export const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } })

/** Of requests with one key at the same time one takes effect, and all get its response. */
export async function expectOneEffect(requests: readonly Promise<Answered>[]): Promise<void> {
  const answers = await Promise.all(requests)
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  const replayed = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')
  expect(replayed).toHaveLength(requests.length - 1)
}

/** Locks a company, as another writer does. The function that it returns ends that. */
export async function lockCompany(engine: Engine, workspaceId: string, id: string): Promise<() => Promise<void>> {
  const end = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const writer = engine.transaction(async (inside) => {
    await sql`update records set name = name where workspace = ${numberOf(workspaceId)} and id = ${id}`.run(inside)
    locked.resolve()
    await end.promise
  })
  await locked.promise
  return () => {
    end.resolve()
    return writer
  }
}
