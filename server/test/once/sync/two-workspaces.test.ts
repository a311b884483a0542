import { createClient } from '@kith/sdk'
import { expect, inject, it } from 'vitest'
import { sync } from '../../../../examples/two-workspaces/sync.ts'
import type { Api } from '../../api.ts'
import { made } from '../../records.ts'
import { newWorkspace } from '../../workspace.ts'

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
