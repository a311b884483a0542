import { registry } from '@kith/contract/registry'
import { expect, it } from 'vitest'
import { createRecord } from '../../../src/records/write.ts'
import { updateField } from '../../../src/schema/define.ts'
import { inTransaction, type Scope } from '../../../src/scope/scope.ts'
import { newWorkspace } from '../../workspace.ts'

it('definitions that were read in a group commit that runs again are not kept', async () => {
  const workspace = await newWorkspace()
  await workspace.field('companies', { name: 'Tier', type: 'select', options: ['A', 'B'] })
  const scope = await workspace.scope()
  const asked = { raw: {}, loose: false, issues: [] }
  const make = (at: Scope, tier: string) =>
    createRecord(at, registry.companies, { body: { name: 'One', custom_fields: { tier } }, asked })
  // They share a commit. The last one fails after it has written, and the others run again.
  await Promise.allSettled([
    updateField(scope, { entity_type: 'companies', code: 'tier' }, { add_options: ['New'] }),
    make(scope, 'A'),
    inTransaction(scope, async (inside) => {
      await make(inside, 'B')
      throw new Error('It fails after it has written.')
    }),
  ])
  const [made] = (await make(await workspace.scope(), 'New')).data()
  const { body } = await workspace.api.get(`/companies/${made?.id}`)
  expect(body.data.attributes.custom_fields).toEqual(made?.attributes.custom_fields)
})
