import { registry } from '@kith/contract/registry'
import { expect, it } from 'vitest'
import { updateRecord } from '../../../src/records/write.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { made } from '../../records.ts'
import { newWorkspace, type Person, type TestWorkspace } from '../../workspace.ts'

type Stage = { workspace: TestWorkspace; id: string; owner: Person }

/** Each is done by another process than the one that answers the list, and changes what it answers. */
const changes: [what: string, change: (stage: Stage) => Promise<unknown>][] = [
  [
    'a changed record',
    async ({ workspace, id }) =>
      updateRecord(await workspace.scope(), registry.companies, {
        id,
        body: { name: 'Other' },
        asked: { raw: {}, loose: false, issues: [] },
      }),
  ],
  ['a new field', ({ workspace }) => workspace.field('companies', { name: 'Added', type: 'text' })],
  ['an owner who has left', ({ workspace, owner }) => workspace.remove(owner)],
  [
    'an owner with another name',
    ({ workspace, owner }) =>
      sql`update users set name = 'Renamed' where email = ${owner.email}`.run(workspace.runtime.engine.single),
  ],
]

it.each(changes)('a list that was asked for before shows %s', async (_, change) => {
  const workspace = await newWorkspace()
  const owner = await workspace.member('member')
  const { id } = await made(workspace.api, 'companies', { name: 'Acme', account_owner_id: owner.id })
  const ask = async () => {
    const list = await workspace.api.get('/companies?include=accountOwner')
    const query = await workspace.api.post('/companies/query', { include: ['accountOwner'] })
    return JSON.stringify([list.body.data, list.body.included, query.body.data, query.body.included])
  }
  const before = await ask()
  expect(await ask()).toBe(before)
  await change({ workspace, id, owner })
  expect(await ask()).not.toBe(before)
})

it('a list that was asked for before is not answered to a token that was revoked, nor to a member who has left', async () => {
  const workspace = await newWorkspace()
  const person = await workspace.member('member')
  const [revoked, left] = [await workspace.token(), await workspace.token({ user: person })]
  for (const api of [revoked, left]) expect((await api.get('/companies')).status).toBe(200)
  await workspace.revoke(revoked.id)
  await workspace.remove(person)
  expect((await revoked.get('/companies')).status).toBe(401)
  expect((await left.get('/companies')).status).toBe(403)
})
