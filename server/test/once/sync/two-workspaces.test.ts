import { createClient } from '@kith/sdk'
import { expect, inject, it } from 'vitest'
import { sync } from '../../../../examples/two-workspaces/sync.ts'
import type { Api } from '../../api.ts'
import { made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

it('two workspaces become equal, whichever side has created, changed or deleted a record', async () => {
  const [left, right] = [await newWorkspace(), await newWorkspace()]
  const url = `${inject('service').url}/api`
  const sides = {
    left: createClient({ url, token: (await left.token()).token }),
    right: createClient({ url, token: (await right.token()).token }),
  }
  const state = {}
  const run = () => sync(sides, state, () => {})
  const expectEqual = async (companies: string[]) => {
    const [one, other] = [await shown(left.api), await shown(right.api)]
    expect(one).toEqual(other)
    expect(one.companies.map(({ name }: { name: string }) => name)).toEqual(companies)
  }
  await left.field('companies', { name: 'Tier', type: 'select', options: ['Gold'] })
  await right.field('people', { name: 'Nickname', type: 'text' })
  const acme = await made(left.api, 'companies', {
    name: 'Acme',
    custom_fields: { tier: 'Gold', domains: ['a.example'] },
  })
  await made(left.api, 'people', { name: 'Ada', company_id: acme.id })
  const globex = await made(right.api, 'companies', { name: 'Globex' })
  await made(right.api, 'people', { name: 'Bob', company_id: globex.id, custom_fields: { nickname: 'B' } })
  await run()
  await expectEqual(['Acme', 'Globex'])
  const before = await versions([left.api, right.api])
  await run()
  expect(await versions([left.api, right.api])).toEqual(before)

  const [, rightAcme] = [acme, await named(right.api, 'Acme')]
  await right.api.patch(`/companies/${rightAcme}`, { name: 'Acme Inc.', custom_fields: { tier: null } })
  await left.api.delete(`/companies/${await named(left.api, 'Globex')}`)
  await left.updateField('companies', 'tier', { add_options: ['Silver'] })
  await made(left.api, 'companies', { name: 'Silver', custom_fields: { tier: 'Silver' } })
  await run()
  await expectEqual(['Acme Inc.', 'Silver'])
  await left.api.patch(`/companies/${acme.id}`, { name: 'Left' })
  await right.api.patch(`/companies/${rightAcme}`, { name: 'Right' })
  await run()
  await expectEqual(['Left', 'Silver'])
})

it('a change of one side between the read and the write of the other survives, and reaches both', async () => {
  const [left, right] = [await newWorkspace(), await newWorkspace()]
  const url = `${inject('service').url}/api`
  /** Done once, before the next write to a company of this side. */
  const edits: { left?: () => Promise<unknown>; right?: () => Promise<unknown> } = {}
  const clientOf = async (side: 'left' | 'right', workspace: TestWorkspace) => {
    const { token } = await workspace.token()
    return createClient({
      url,
      token,
      async fetch(input, init) {
        const edit = init?.method === 'PUT' && String(input).includes('/companies/') ? edits[side] : undefined
        if (edit) delete edits[side]
        await edit?.()
        return fetch(input, init)
      },
    })
  }
  const sides = { left: await clientOf('left', left), right: await clientOf('right', right) }
  const state = {}
  const run = () => sync(sides, state, () => {})
  const acme = await made(left.api, 'companies', { name: 'Acme', custom_fields: { domains: ['a.example'] } })
  await run()
  const there = `/companies/${await named(right.api, 'Acme')}`
  const here = `/companies/${acme.id}`
  const valuesOf = async (api: Api, path: string) => {
    const { name, custom_fields } = (await api.get(path)).body.data.attributes
    return [name, custom_fields.icp, custom_fields.domains]
  }
  const expectBoth = async (values: unknown[]) => {
    expect([await valuesOf(left.api, here), await valuesOf(right.api, there)]).toEqual([values, values])
  }

  // Another attribute, while the left writes to the right and while the right writes to the left.
  edits.right = () => right.api.patch(there, { custom_fields: { icp: true } })
  await left.api.patch(here, { name: 'Acme Inc.' })
  await run()
  await run()
  await expectBoth(['Acme Inc.', true, ['a.example']])
  edits.left = () => left.api.patch(here, { custom_fields: { domains: ['b.example'] } })
  await right.api.patch(there, { name: 'Acme Ltd.' })
  await run()
  await expectBoth(['Acme Ltd.', true, ['b.example']])

  // The same attribute: the left wins, also if it was changed last.
  edits.left = () => left.api.patch(here, { name: 'Left' })
  await right.api.patch(there, { name: 'Right', custom_fields: { icp: false } })
  await run()
  await expectBoth(['Left', false, ['b.example']])
})

/** What both sides must have in common. */
async function shown(api: Api) {
  const values = (record: { attributes: { name: string; custom_fields: Record<string, unknown> } }) => ({
    name: record.attributes.name,
    ...Object.fromEntries(
      Object.entries(record.attributes.custom_fields)
        .map(([code, value]) => [code, (value as { label?: string } | null)?.label ?? value])
        .toSorted(),
    ),
  })
  const companies = (await api.get('/companies?sort=name')).body
  const people = (await api.get('/people?sort=name&include=company')).body
  const names = new Map(companies.data.map(({ id, attributes }: Named) => [id, attributes.name]))
  return {
    companies: companies.data.map(values),
    people: people.data.map((person: never) => ({ ...values(person), company: names.get(companyOf(person)) })),
  }
}

type Named = { id: string; attributes: { name: string } }

function companyOf({ attributes }: { attributes: { company_id: string } }): string {
  return attributes.company_id
}

async function named(api: Api, name: string): Promise<string> {
  return (await api.get(`/companies?filter[name][$eq]=${name}`)).body.data[0].id
}

async function versions(apis: readonly Api[]): Promise<string[]> {
  return Promise.all(apis.map(async (api) => (await api.get('/changes?cursor=now')).body.meta.head))
}
