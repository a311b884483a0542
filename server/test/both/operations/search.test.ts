import { beforeAll, describe, expect, it } from 'vitest'
import { searchRecords } from '../../../src/records/search.ts'
import { recordVersions } from '../../../src/records/versions.ts'
import { gone, made } from '../../records.ts'
import { refusalOf } from '../../test-runtime.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
  const { api } = workspace
  const company = await made(api, 'companies', { name: 'Acme Works', custom_fields: { domains: ['acme.example'] } })
  await made(api, 'companies', { name: 'Great Acme' })
  await made(api, 'companies', { name: 'Macmenamin' })
  await made(api, 'people', {
    name: 'Ada Größe',
    company_id: company.id,
    custom_fields: { emails: ['Ada@Acme.example'], phone_number: '+1 415 555 0100' },
  })
  await made(api, 'opportunities', { name: 'Acme renewal', company_id: company.id })
  await made(api, 'tasks', { title: 'Call acme', custom_fields: { status: 'To do' } })
})

async function found(query: string, limit?: number): Promise<string[]> {
  const hits = await searchRecords(await workspace.scope(), { query, limit })
  return hits.map((hit) => `${hit.resource} ${hit.name} (${hit.detail})`)
}

describe('search finds records of all resources', () => {
  it('by name: those that begin so, then those with a word that begins so, then those that hold it', async () => {
    expect(await found('ACME')).toEqual([
      'companies Acme Works (acme.example)',
      'companies Great Acme (null)',
      'companies Macmenamin (null)',
      'people Ada Größe (ada@acme.example)',
      'opportunities Acme renewal (Acme Works)',
      'tasks Call acme (To do)',
    ])
    expect(await found('acme')).toEqual(await found(' Acme '))
    expect(await found('cme')).toContain('companies Great Acme (null)')
    expect(await found('menam')).toEqual(['companies Macmenamin (null)'])
    expect(await found('gr')).toEqual(['companies Great Acme (null)', 'people Ada Größe (Ada@Acme.example)'])
    expect(await found('GRÖSSE')).toEqual(['people Ada Größe (Ada@Acme.example)'])
  })

  it('by email address, and by the domain of one', async () => {
    const hit = 'people Ada Größe (ada@acme.example)'
    for (const query of ['ada@acme.example', 'ADA@AC', '@acme.example']) expect(await found(query)).toContain(hit)
  })

  it('by domain, bare or as the address of a page', async () => {
    const hit = 'companies Acme Works (acme.example)'
    for (const query of ['acme.exam', 'www.acme.example', 'https://www.acme.example/about']) {
      expect(await found(query)).toContain(hit)
    }
  })

  it('by phone number with its country code, in any format', async () => {
    const hit = 'people Ada Größe (+14155550100)'
    for (const query of ['+1 (415) 555-0100', '001 415 555', '1415555']) expect(await found(query)).toEqual([hit])
    expect(await found('+1')).toEqual([])
  })

  it('as many of each resource as are asked for', async () => {
    expect(await found('acme', 1)).toHaveLength(4)
    expect((await found('acme', 1))[0]).toBe('companies Acme Works (acme.example)')
  })

  it('and takes % and _ literally, and an empty query for nothing', async () => {
    expect(await found('%%%')).toEqual([])
    expect(await found('A_me')).toEqual([])
    expect(await found('  ')).toEqual([])
  })
})

it('search finds what is new, under its new name, and nothing that is deleted', async () => {
  const { api } = workspace
  const { id } = await made(api, 'notes', { title: 'Zebra minutes' })
  expect(await found('zebra')).toEqual(['notes Zebra minutes (null)'])
  await api.patch(`/notes/${id}`, { title: 'Giraffe minutes' })
  expect([await found('zebra'), await found('giraffe')]).toEqual([[], ['notes Giraffe minutes (null)']])
  await gone(api, 'notes', id)
  expect(await found('giraffe')).toEqual([])
})

it('search sees only its own workspace, and needs the ability to read', async () => {
  const neighbour = await newWorkspace()
  expect(await searchRecords(await neighbour.scope(), { query: 'acme' })).toEqual([])
  const scope = await workspace.scope()
  const writer = { ...scope, actor: { ...scope.actor, abilities: ['create'] as const } }
  expect((await refusalOf(searchRecords(writer, { query: 'x' })))[0]).toContain('"read"')
})

it('search refuses what it cannot look for', async () => {
  const scope = await workspace.scope()
  expect(await refusalOf(searchRecords(scope, { query: 7, limit: 51 }))).toEqual([
    'limit: The limit must be a whole number from 1 to 50.',
    'query: The query must be a string.',
  ])
  expect((await refusalOf(searchRecords(scope, { query: 'x'.repeat(256) })))[0]).toContain('255')
})

it('the versions of resources and fields move with every change, and with no other', async () => {
  const before = await recordVersions(await workspace.scope())
  await made(workspace.api, 'tasks')
  const after = await recordVersions(await workspace.scope())
  expect({ ...after, tasks: 0 }).toEqual({ ...before, tasks: 0 })
  expect(after.tasks).toBeGreaterThan(before.tasks)
  await workspace.field('notes', { name: 'Mood', type: 'text' })
  expect((await recordVersions(await workspace.scope())).fields).toBeGreaterThan(after.fields)
  expect(await recordVersions(await workspace.scope())).toEqual(await recordVersions(await workspace.scope()))
})
