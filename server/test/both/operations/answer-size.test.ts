import { ANSWER_MAX_BYTES } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { expect, it } from 'vitest'
import { listRecords } from '../../../src/records/list.ts'
import type { Db } from '../../../src/storage/engines/engine.ts'
import { BIG, bigFields, bigValues, storeBehind } from '../../large-records.ts'
import { madeIds } from '../../records.ts'
import { newWorkspace } from '../../workspace.ts'

/** Records of nearly 1 MiB each. */
const COUNT = 24

it('a response over 16 MiB is noticed before much more than that is loaded', async () => {
  const workspace = await newWorkspace()
  await bigFields(workspace, 'people')
  const ids = await madeIds(workspace.api, 'people', COUNT)
  await storeBehind(workspace, 'people', { ids, values: bigValues([BIG, BIG, BIG, BIG - 1000]) })
  const scope = await workspace.scope()
  let loaded = 0
  const counting = (db: Db): Db => ({
    ...db,
    session: {
      ...db.session,
      async run(text, parameters) {
        const outcome = await db.session.run(text, parameters)
        loaded += JSON.stringify(outcome.rows).length
        return outcome
      },
    },
  })
  const { engine } = scope
  const readTransaction: typeof engine.readTransaction = (work) =>
    engine.readTransaction((inside) => work(counting(inside)))
  const watched = { ...engine, short: counting(engine.short), readTransaction }
  const counted = { ...scope, db: counting(scope.db), engine: watched }
  const list = (raw: object) => listRecords(counted, registry.people, { raw: { ...raw }, loose: false, issues: [] })
  await expect(list({ per_page: COUNT })).rejects.toThrow(/^The response would be larger than 16,777,216 bytes/)
  expect(loaded).toBeGreaterThan(ANSWER_MAX_BYTES)
  expect(loaded).toBeLessThan(ANSWER_MAX_BYTES + 5 * 1024 * 1024)
  loaded = 0
  await list({ per_page: COUNT, fields: ['name'] })
  expect(loaded).toBeLessThan(100_000)
})
