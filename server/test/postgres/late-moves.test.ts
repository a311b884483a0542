import { registry } from '@kith/contract/registry'
import { expect, it } from 'vitest'
import { updateRecord } from '../../src/records/write.ts'
import { inTransaction } from '../../src/scope/scope.ts'
import { follow, idsOf, pagesFrom, stock } from '../lists.ts'
import { newWorkspace } from '../workspace.ts'

/** The older transaction has the lower number, and yet its move of the record is the later one. */
it('a record that a younger transaction moves before an older one does is shown once, where it was', async () => {
  const workspace = await newWorkspace()
  const { api } = workspace
  const ids = await stock(
    workspace,
    'companies',
    [...'abcdefgh'].map((name) => ({ name })),
  )
  const [other, moving] = [ids[0] ?? '', ids[5] ?? '']
  const [begun, going, ending] = [1, 2, 3].map(() => Promise.withResolvers<void>())
  const scope = await workspace.scope()
  // Slots of the counts are random, and a writer of the same slot waits for the older transaction to end.
  const apart = { ...scope, engine: { ...scope.engine, countSlot: () => 100 } }
  const older = inTransaction(apart, async (inside) => {
    const named = (name: string) => ({ body: { name }, asked: { raw: {}, loose: false, issues: [] } })
    await updateRecord(inside, registry.companies, { id: other, ...named('a2') })
    begun?.resolve()
    await going?.promise
    await updateRecord(inside, registry.companies, { id: moving, ...named('g2') })
    await ending?.promise
  })
  await begun?.promise
  const first = await api.get('/companies?sort=name&cursor=true&per_page=2')
  expect((await api.put(`/companies/${moving}`, { name: 'aa' })).status).toBe(200)
  going?.resolve()
  const second = await follow(api, first.body.links.next)
  ending?.resolve()
  await older
  const rest = await pagesFrom(api, second.body.links.next.slice(api.base.length))
  expect([...idsOf(first), ...idsOf(second), ...rest.flat()]).toEqual(ids)
})

it('a scan begins with records where they are, though a transaction that is older than their last change is still open', async () => {
  const workspace = await newWorkspace()
  const { api } = workspace
  const ids = await stock(
    workspace,
    'companies',
    [...'abc'].map((name) => ({ name })),
  )
  const scope = await workspace.scope()
  const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const older = scope.engine.transaction(async (inside) => {
    await inside.session.run('select pg_current_xact_id()', [])
    begun.resolve()
    await ending.promise
  })
  await begun.promise
  expect((await api.put(`/companies/${ids[0]}`, { name: 'd' })).status).toBe(200)
  const scanned = (await pagesFrom(api, '/companies?sort=name&cursor=true&per_page=1')).flat()
  ending.resolve()
  await older
  expect(scanned).toEqual([ids[1], ids[2], ids[0]])
})
