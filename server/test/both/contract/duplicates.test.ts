import { beforeEach, describe, expect, it } from 'vitest'
import { gone, made, problemsOf } from '../../records.ts'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await newWorkspace()
})

const company = async (name: string, rest: object = {}): Promise<string> =>
  (await made(workspace.api, 'companies', { name, ...rest })).id

type Found = { certainty: string; field: string; value: string; count: number; record_ids: string[] }

async function found(query = ''): Promise<Found[]> {
  const { status, body, text } = await workspace.api.get(`/companies/duplicates${query}`)
  expect(status, text).toBe(200)
  expect(body.meta.total).toBe(body.data.length)
  return body.data.map((one: { attributes: Found }) => one.attributes)
}

/** Two companies with one value in a field that becomes unique afterwards. */
async function certain(): Promise<string[]> {
  await workspace.field('companies', { name: 'Tax', type: 'text' })
  const ids = [await company('First', { custom_fields: { tax: 'DE 1' } })]
  ids.push(await company('Second', { custom_fields: { tax: 'de 1' } }))
  await workspace.updateField('companies', 'tax', { unique: true })
  return ids
}

describe('GET /v1/{resource}/duplicates', () => {
  it('certain: several records hold one value of a unique field; the default', async () => {
    const ids = await certain()
    await company('first')
    const { body } = await workspace.api.get('/companies/duplicates')
    expect(body.meta).toMatchObject({ current_page: 1, per_page: 15, total: 1 })
    expect(body.data).toEqual([
      {
        id: expect.any(String),
        type: 'duplicates',
        attributes: { certainty: 'certain', field: 'tax', value: 'DE 1', count: 2, record_ids: ids },
      },
    ])
    expect(Object.keys(body.data[0].attributes)).toEqual(['certainty', 'field', 'value', 'count', 'record_ids'])
    expect(await found('?certainty=certain')).toEqual([body.data[0].attributes])
  })

  it('likely: the same name after folding case, accents, punctuation and legal forms', async () => {
    const names = ['Müller & Söhne GmbH', 'MULLER AND SOHNE', 'muller & sohne, Inc.', 'Müller-Söhne']
    const ids: string[] = []
    for (const name of names) ids.push(await company(name))
    await company('Someone else')
    const one = { certainty: 'likely', field: 'name', value: names[0], count: 3, record_ids: ids.slice(0, 3) }
    expect(await found('?certainty=likely')).toEqual([one])
    // A new name counts at once, a deleted record does not, and a restored one does again.
    await workspace.api.patch(`/companies/${ids[3]}`, { name: 'Muller und Co' })
    await workspace.api.patch(`/companies/${ids[2]}`, { name: 'Other' })
    await gone(workspace.api, 'companies', ids[1] ?? '')
    expect(await found('?certainty=likely')).toEqual([])
    await workspace.api.put(`/companies/${ids[1]}/restore`)
    expect(await found('?certainty=likely')).toMatchObject([{ count: 2, record_ids: ids.slice(0, 2) }])
  })

  it('likely: the same e-mail address or host in a non-unique field', async () => {
    await workspace.field('companies', { name: 'Mail', type: 'email' })
    await workspace.field('companies', { name: 'Site', type: 'link' })
    await workspace.field('companies', { name: 'Host', type: 'domain' })
    const a = await company('A', {
      custom_fields: { mail: ['info@acme.example'], site: ['https://www.acme.example/a'] },
    })
    const b = await company('B', { custom_fields: { mail: ['INFO@acme.example'], host: ['www.acme.example'] } })
    const c = await company('C', { custom_fields: { site: ['http://acme.example'], host: ['acme.example'] } })
    for (const name of ['D', 'E']) {
      await company(name, { custom_fields: { linkedin: [`https://linkedin.com/company/${name}`] } })
    }
    expect(await found('?certainty=likely')).toEqual([
      { certainty: 'likely', field: 'mail', value: 'info@acme.example', count: 2, record_ids: [a, b] },
      { certainty: 'likely', field: 'site', value: 'acme.example', count: 2, record_ids: [a, c] },
      { certainty: 'likely', field: 'host', value: 'acme.example', count: 2, record_ids: [b, c] },
    ])
  })

  it('all: the certain ones first, in pages as lists', async () => {
    const ids = await certain()
    const others = [await company('Acme'), await company('ACME Ltd.')]
    const all = await found('?certainty=all')
    expect(all.map(({ certainty, record_ids }) => [certainty, record_ids])).toEqual([
      ['certain', ids],
      ['likely', others],
    ])
    const second = (await workspace.api.get('/companies/duplicates?certainty=all&per_page=1&page=2')).body
    expect(second.data.map((one: { attributes: Found }) => one.attributes)).toEqual([all[1]])
    expect(second.meta).toMatchObject({ current_page: 2, last_page: 2, total: 2 })
    expect(second.links.prev).toContain('certainty=all&per_page=1&page=1')
  })

  it('shows at most 25 records, oldest first', async () => {
    const ids: string[] = []
    for (let index = 0; index < 27; index++) ids.push(await company('Same'))
    expect(await found('?certainty=likely')).toMatchObject([{ count: 27, record_ids: ids.slice(0, 25) }])
  })

  it('of titles, which are often the same, are not likely ones', async () => {
    for (const type of ['tasks', 'notes'] as const) {
      for (let index = 0; index < 2; index++) await made(workspace.api, type, { title: 'Call' })
      expect((await workspace.api.get(`/${type}/duplicates?certainty=all`)).body.data).toEqual([])
    }
  })

  it('needs read, refuses what is unknown, and shows nothing of other workspaces', async () => {
    for (let index = 0; index < 2; index++) await company('Same')
    const { api } = await newWorkspace()
    expect((await api.get('/companies/duplicates?certainty=all')).body.data).toEqual([])
    const errors = await problemsOf(workspace.api.get('/companies/duplicates?certainty=likly'))
    expect(errors.certainty?.[0]).toContain('Did you mean likely?')
    expect(Object.keys(await problemsOf(api.get('/companies/duplicates?page=0&sort=x')))).toEqual(['sort', 'page'])
    const blind = await workspace.token({ abilities: ['create', 'update', 'delete'] })
    expect((await blind.get('/companies/duplicates')).status).toBe(403)
  })

  it('is the tool find_duplicates for MCP clients', async () => {
    for (const name of ['Acme', 'ACME Inc.']) await company(name)
    const { call } = await connectTo(workspace)
    expect(await call('find_duplicates', { resource: 'companies' })).toMatchObject({ total: 0 })
    expect(await call('find_duplicates', { resource: 'companies', certainty: 'all' })).toMatchObject({
      data: [{ certainty: 'likely', field: { code: 'name' }, value: 'Acme', count: 2 }],
    })
  })
})
