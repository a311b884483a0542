import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { newWorkspace } from '../../workspace.ts'

const NOWHERE = '01kacm7krp9mcrqeke4h6bxpg9'

/** Words that are in the other workspace only; each request below comes close to one of them. */
const SECRETS = ['Zebrafish', 'zebra_code', 'Zebra label', 'zebra.example', 'zebra@']

async function neighbour() {
  const workspace = await newWorkspace()
  const { api, owner } = workspace
  const ids: Record<string, string> = { users: owner.id }
  for (const { type, label } of Object.values(registry)) {
    await workspace.field(type, { name: 'Zebrafish', code: 'zebra_code', type: 'text', unique: true })
    await workspace.field(type, {
      name: 'Zebrafish choice',
      code: 'zebra_choice',
      type: 'select',
      options: ['Zebra label'],
    })
    const made = await api.post(`/${type}`, { [label]: 'Zebrafish', custom_fields: { zebra_code: 'Zebrafish' } })
    ids[type] = made.body.data.id
  }
  await api.put(`/companies/${ids.companies}`, { custom_fields: { domains: ['zebra.example'] } })
  await api.put(`/people/${ids.people}`, { custom_fields: { emails: ['zebra@zebra.example'] } })
  return { ...workspace, ids }
}

describe('Law 5. Walls: no error text reveals anything of another workspace', () => {
  it.each(Object.values(registry).map((resource) => [resource.type, resource] as const))(
    '%s',
    async (type, { label, references, links }) => {
      const there = await neighbour()
      const { api, field } = await newWorkspace()
      await field(type, { name: 'Own', type: 'text', unique: true })
      const id = there.ids[type]
      const own = (await api.post(`/${type}`, { [label]: 'Own' })).body.data.id
      const answers: Answered[] = [
        await api.get(`/${type}/${id}`),
        await api.put(`/${type}/${id}`, { [label]: 'x' }),
        await api.delete(`/${type}/${id}`),
        await api.post(`/${type}`, { [label]: 'x', zebra_cod: 1, custom_fields: { zebra_cod: 1 } }),
        await api.put(`/${type}/${own}`, { custom_fields: { zebra_cod: 'x' } }),
        await api.post(`/${type}/upsert`, { [label]: 'x', match: { field: 'zebra_cod', value: 'x' } }),
        await api.get(`/${type}?sort=zebra_cod`),
        await api.get(`/${type}?fields=custom_fields.zebra_cod`),
        await api.get(`/${type}?filter[custom_fields][zebra_cod][$eq]=x`),
        await api.post(`/${type}/query`, { filter: { custom_fields: { zebra_choic: { $eq: there.ids[type] } } } }),
        await api.get(
          `/${type}?cursor=${(await there.api.get(`/${type}?cursor=true&per_page=1`)).body.meta.next_cursor ?? 'x'}`,
        ),
      ]
      for (const [key, { to }] of Object.entries(references))
        answers.push(await api.post(`/${type}`, { [label]: 'x', [key]: there.ids[to] }))
      for (const [key, { to }] of Object.entries(links))
        answers.push(await api.post(`/${type}`, { [label]: 'x', [key]: [there.ids[to]] }))
      for (const { status, text } of answers) {
        expect([404, 422]).toContain(status)
        for (const secret of [...SECRETS, there.slug, there.owner.email, there.owner.name])
          expect(text).not.toContain(secret)
      }
    },
  )

  it.each(Object.values(registry).map((resource) => [resource.type, resource] as const))(
    'an id of theirs and one that never was get the same answer: %s',
    async (type, { label, references, links }) => {
      const there = await neighbour()
      const { api } = await newWorkspace()
      const withId = (made: (id: string) => Promise<Answered>, id = '') =>
        Promise.all(
          [id, NOWHERE].map(async (one) => {
            const { status, text } = await made(one)
            return [status, text.replaceAll(one, 'ID')]
          }),
        )
      const pairs = [
        await withId((id) => api.get(`/${type}/${id}`), there.ids[type]),
        await withId((id) => api.put(`/${type}/${id}`, { nothing: 1 }), there.ids[type]),
        await withId((id) => api.patch(`/${type}/${id}`, {}), there.ids[type]),
        await withId((id) => api.delete(`/${type}/${id}`), there.ids[type]),
      ]
      for (const [key, { to }] of Object.entries(references)) {
        pairs.push(await withId((id) => api.post(`/${type}`, { [label]: 'x', [key]: id }), there.ids[to]))
      }
      for (const [key, { to }] of Object.entries(links)) {
        pairs.push(await withId((id) => api.post(`/${type}`, { [label]: 'x', [key]: [id] }), there.ids[to]))
      }
      for (const [theirs, nobodys] of pairs) expect(theirs).toEqual(nobodys)
      expect((await api.get(`/${type}`)).body.meta.total).toBe(0)
    },
  )
})
