import { includeNames, type ResourceName } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Answered } from '../api.ts'
import { inAddress, refused, refusedInAddress } from '../filtering.ts'
import { declared, everyResource, workspaceWithOwn } from '../own-resource.ts'
import { testedResources } from '../run-length.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Ids, relatedRecords } from './full-records.ts'

describe('Law 3. Nothing unknown is ignored: the answer says which one, what is accepted there, and the nearest', () => {
  let workspace: TestWorkspace
  let ids: Ids
  beforeAll(async () => {
    workspace = await workspaceWithOwn()
    for (const resource of everyResource)
      await workspace.field(resource, { name: 'Sector', type: 'text', unique: true })
    ids = await relatedRecords(workspace)
  })

  type Told = { at: string; sent: string; accepted: readonly string[]; near?: string }

  function expectTold(answer: Answered, { at, sent, accepted, near }: Told): void {
    expect(answer.status, answer.text).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual([at])
    const [problem, ...more] = answer.body.errors[at]
    expect(more).toEqual([])
    expect(answer.body.message).toBe(problem)
    expect(problem).toContain(sent)
    for (const name of accepted) expect(problem).toContain(name)
    if (near === undefined) expect(problem).not.toMatch(/did you mean/i)
    else expect(problem.toLowerCase()).toContain(`did you mean ${near.toLowerCase()}?`)
  }

  const listNames = ['per_page', 'page', 'cursor', 'sort', 'include', 'fields', 'filter']

  /** Every way to ask for records or to write one, each with its parameters in its address. */
  function waysOf(type: ResourceName, query: string): [answer: Promise<Answered>, accepted: string[]][] {
    const { api } = workspace
    const { label } = declared(type)
    const path = `/${type}/${ids[type]}?${query}`
    const match = { field: 'sector', value: `s ${query}` }
    return [
      [api.get(`/${type}?${query}`), listNames],
      [api.get(path), ['include', 'fields']],
      [api.post(`/${type}?${query}`, { [label]: 'x' }), ['include', 'fields']],
      [api.put(path, {}), ['include', 'fields']],
      [api.patch(path, {}), ['include', 'fields']],
      [api.post(`/${type}/upsert?${query}`, { [label]: 'x', match }), ['include', 'fields']],
    ]
  }

  it.each(testedResources)('%s: a parameter', async (type) => {
    const { api } = workspace
    for (const [answer, accepted] of waysOf(type, 'inclde=creator')) {
      expectTold(await answer, { at: 'inclde', sent: 'inclde', accepted, near: 'include' })
    }
    for (const [answer, accepted] of waysOf(type, 'xyzzy')) {
      expectTold(await answer, { at: 'xyzzy', sent: 'xyzzy', accepted })
    }
    const inBody = await api.post(`/${type}/query`, { perpage: 5 })
    expectTold(inBody, { at: 'perpage', sent: 'perpage', accepted: listNames, near: 'per_page' })
    const outside = await api.post(`/${type}/query?per_page=5`, {})
    expectTold(outside, { at: 'per_page', sent: 'per_page', accepted: ['body'] })
    const onDelete = await api.delete(`/${type}/${ids[type]}?force=1`)
    expectTold(onDelete, { at: 'force', sent: 'force', accepted: ['no parameters'] })
    expect((await api.get(`/${type}/${ids[type]}`)).status).toBe(200)
  })

  it('a parameter of the other endpoints', async () => {
    const { api } = workspace
    const accepted = ['entity_type', 'per_page', 'page']
    expectTold(await api.get('/custom-fields?entity=people'), { at: 'entity', sent: 'entity', accepted })
    const near = 'entity_type'
    expectTold(await api.get('/custom-fields?entitytype=people'), {
      at: 'entitytype',
      sent: 'entitytype',
      accepted,
      near,
    })
    expectTold(await api.get('/user?include=x'), { at: 'include', sent: 'include', accepted: ['no parameters'] })
  })

  it.each(testedResources)('%s: a key of a body', async (type) => {
    const { api } = workspace
    const { label, references, links } = declared(type)
    const accepted = [label, ...Object.keys(references), ...Object.keys(links), 'custom_fields']
    const match = { field: 'sector', value: 'keys' }
    for (const [key, near] of [
      ['custom_field', 'custom_fields'],
      ['wholly_else', undefined],
      ['id', undefined],
    ] as const) {
      const told = { at: key, sent: key, accepted, near }
      expectTold(await api.post(`/${type}`, { [label]: 'x', [key]: 1 }), told)
      expectTold(await api.put(`/${type}/${ids[type]}`, { [key]: 1 }), told)
      expectTold(await api.patch(`/${type}/${ids[type]}`, { [key]: null }), told)
      expectTold(await api.post(`/${type}/upsert`, { [label]: 'x', match, [key]: 1 }), {
        ...told,
        accepted: ['match', ...accepted],
      })
    }
    const strange = { field: 'sector', value: 'keys', valu: 'x' }
    const inMatch = await api.post(`/${type}/upsert`, { [label]: 'x', match: strange })
    expectTold(inMatch, { at: 'match.valu', sent: 'field and value', accepted: [], near: 'value' })
  })

  it.each(testedResources)('%s: an include', async (type) => {
    const accepted = includeNames(declared(type))
    for (const [answer] of waysOf(type, 'include=creater')) {
      expectTold(await answer, { at: 'include', sent: 'creater', accepted, near: 'creator' })
    }
    const asked = await workspace.api.post(`/${type}/query`, { include: ['creator', 'nobody_else'] })
    expectTold(asked, { at: 'include', sent: 'nobody_else', accepted })
  })

  it.each(testedResources)('%s: a field of `fields`', async (type) => {
    const { label } = declared(type)
    const accepted = [label, 'created_at', 'custom_fields', 'custom_fields.sector']
    for (const [answer] of waysOf(type, 'fields=created_att')) {
      expectTold(await answer, { at: 'fields', sent: 'created_att', accepted, near: 'created_at' })
    }
    for (const [answer] of waysOf(type, `fields[${type}]=custom_fields.secter`)) {
      expectTold(await answer, {
        at: `fields.${type}`,
        sent: 'custom_fields.secter',
        accepted,
        near: 'custom_fields.sector',
      })
    }
    const types = await workspace.api.get(`/${type}?fields[user]=name`)
    expectTold(types, { at: 'fields.user', sent: 'user', accepted: [type, 'users'], near: 'users' })
  })

  it.each(testedResources)('%s: a sort', async (type) => {
    const { api } = workspace
    const accepted = [declared(type).label, 'created_at', 'updated_at', 'custom_fields.sector']
    const told = { at: 'sort', sent: 'create_at', accepted, near: 'created_at' }
    expectTold(await api.get(`/${type}?sort=-create_at`), told)
    expectTold(await api.post(`/${type}/query`, { sort: 'updated_at,create_at' }), told)
    const code = { at: 'sort', sent: 'custom_fields.secto', accepted, near: 'custom_fields.sector' }
    expectTold(await api.get(`/${type}?sort=custom_fields.secto`), code)
  })

  it.each(testedResources)('%s: the name of a filter, an operator, the code of a field in a filter', async (type) => {
    const { api } = workspace
    const { label, relations } = declared(type)
    const texts = ['$eq', '$contains', '$is_empty']
    const cases: [filter: object, told: Told][] = [
      [
        { creatorr: { $is_empty: true } },
        {
          at: 'creatorr',
          sent: 'creatorr',
          accepted: [label, 'created_at', ...Object.keys(relations)],
          near: 'creator',
        },
      ],
      [
        { [label]: { $contain: 'x' } },
        { at: `${label}.$contain`, sent: '$contain', accepted: texts, near: '$contains' },
      ],
      [{ $nott: { x: 1 } }, { at: '$nott', sent: '$nott', accepted: ['$and', '$or', '$not'], near: '$not' }],
      [
        { custom_fields: { secto: { $eq: '1' } } },
        { at: 'custom_fields.secto', sent: 'secto', accepted: ['sector'], near: 'sector' },
      ],
      [{ custom_fields: { sector: { $in: ['1'] } } }, { at: 'custom_fields.sector.$in', sent: '$in', accepted: texts }],
    ]
    for (const [filter, told] of cases) {
      for (const answering of [refused(api, type, filter), refusedInAddress(api, type, inAddress(filter))]) {
        const errors = await answering
        expect(Object.keys(errors)).toEqual([`filter.${told.at}`])
        const problem = String(errors[`filter.${told.at}`])
        for (const name of [told.sent, ...told.accepted]) expect(problem).toContain(name)
        if (told.near) expect(problem.toLowerCase()).toContain(`did you mean ${told.near}?`)
      }
    }
  })

  it.each(testedResources)('%s: the code of a field in a body', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    const custom_fields = { secter: 'x', zzzzzzzzz: 1 }
    const match = { field: 'sector', value: 'codes' }
    for (const answer of [
      await api.post(`/${type}`, { [label]: 'x', custom_fields }),
      await api.put(`/${type}/${ids[type]}`, { custom_fields }),
      await api.post(`/${type}/upsert`, { [label]: 'x', match, custom_fields }),
    ]) {
      expect(Object.keys(answer.body.errors), answer.text).toEqual(['custom_fields'])
      const [problem] = answer.body.errors.custom_fields
      expect(problem).toContain('secter (did you mean sector?)')
      expect(problem).toContain('zzzzzzzzz')
      const listed = (await api.get(`/custom-fields?entity_type=${type}`)).body.data
      for (const field of listed) expect(problem).toContain(field.attributes.code)
    }
    const unmatched = { field: 'sektor', value: 'x' }
    const upsert = await api.post(`/${type}/upsert`, { [label]: 'x', match: unmatched })
    expectTold(upsert, { at: 'match.field', sent: 'match.field', accepted: ['sector'], near: 'sector' })
  })
})
