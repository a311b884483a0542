import { registry } from '@kith/contract/registry'
import { includeNames, resourceIn } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { type Identifier, type Linkage, newWorld, type World } from '../../include-world.ts'
import { errorsOf, stock } from '../../lists.ts'
import { specified } from '../../specified.ts'
import { newWorkspace } from '../../workspace.ts'

type Shown = Identifier & { attributes: Record<string, unknown>; relationships?: Record<string, { data: Linkage }> }

let world: World
beforeAll(async () => {
  world = await newWorld()
})

function identifiersOf(linkages: readonly Linkage[]): string[] {
  const all = linkages.flatMap((linkage) => linkage ?? [])
  return [...new Set(all.map(({ type, id }) => `${type} ${id}`))].sort()
}

/** Each record that came along, once, and exactly as a read shows it. */
async function expectIncluded({ body }: Answered, linkages: readonly Linkage[]): Promise<void> {
  const included: Shown[] = body.included
  expect(included.map(({ type, id }) => `${type} ${id}`).sort()).toEqual(identifiersOf(linkages))
  const { api, owner } = world.workspace
  for (const record of included) {
    if (record.type === 'users') {
      const { name, email } = record.id === owner.id ? owner : world.member
      expect(record).toEqual({ id: record.id, type: 'users', attributes: { name, email } })
    } else expect(record).toEqual((await api.get(`/${record.type}/${record.id}`)).body.data)
  }
}

const camelToSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

describe.each(specified.map((type) => [type, registry[type]] as const))('include of %s', (type, resource) => {
  const { label } = resource
  const relations = Object.keys(resource.relations)
  const counts = Object.keys(resource.counts)

  it.each(relations)('%s: the relation and the complete related records', async (name) => {
    const { full, bare, linkage, workspace } = world
    const held = linkage[type][name] ?? null
    const empty = name === 'creator' ? held : Array.isArray(held) ? [] : null
    const one = await workspace.api.get(`/${type}/${full[type]}?include=${name}`)
    expect(one.status).toBe(200)
    expect(Object.keys(one.body).sort()).toEqual(['data', 'included'])
    expect(one.body.data.relationships).toEqual({ [name]: { data: held } })
    await expectIncluded(one, [held])
    const none = await workspace.api.get(`/${type}/${bare[type]}?include=${name}`)
    expect(none.body.data.relationships).toEqual({ [name]: { data: empty } })
    await expectIncluded(none, [empty])
    for (const listed of [
      await workspace.api.get(`/${type}?include=${name}&filter[${label}][$eq]=Bare`),
      await workspace.api.get(`/${type}?include=${name}&filter[${label}][$eq]=Bare&cursor=true`),
      await workspace.api.post(`/${type}/query`, { include: name, filter: { [label]: { $eq: 'Bare' } } }),
    ]) {
      expect(listed.body.data).toEqual([none.body.data])
      expect(listed.body.included).toEqual(none.body.included)
    }
  })

  it('all at once, on a list: each record once', async () => {
    const { full, linkage, workspace } = world
    const list = await workspace.api.get(`/${type}?per_page=100&include=${relations}`)
    expect(Object.keys(list.body).sort()).toEqual(['data', 'included', 'links', 'meta'])
    const records: Shown[] = list.body.data
    for (const record of records) expect(Object.keys(record.relationships ?? {})).toEqual(relations)
    const whole = records.find(({ id }) => id === full[type])
    expect(whole?.relationships).toEqual(
      Object.fromEntries(relations.map((name) => [name, { data: linkage[type][name] }])),
    )
    await expectIncluded(
      list,
      records.flatMap((record) => Object.values(record.relationships ?? {}).map(({ data }) => data)),
    )
  })

  it.each(counts)('%s: the number of related records', async (name) => {
    const { full, bare, workspace } = world
    const attribute = camelToSnake(name)
    const one = await workspace.api.get(`/${type}/${full[type]}?include=${name}`)
    expect(one.body.data.attributes[attribute]).toBe(world.counts[type][name])
    expect(Object.keys(one.body.data.attributes).at(-1)).toBe(attribute)
    expect(Object.keys(one.body)).toEqual(['data'])
    expect(Object.keys(one.body.data)).toEqual(['id', 'type', 'attributes'])
    const { body } = await workspace.api.get(`/${type}?per_page=100&include=${name}`)
    const shown = new Map(body.data.map((record: Shown) => [record.id, record.attributes[attribute]]))
    expect(shown.get(full[type])).toBe(world.counts[type][name])
    expect(shown.get(bare[type])).toBe(0)
  })

  it('relationships, included and counts are absent unless something was included', async () => {
    const { full, workspace } = world
    for (const query of ['', '?include=', '?include=,']) {
      const { body } = await workspace.api.get(`/${type}/${full[type]}${query}`)
      expect(Object.keys(body)).toEqual(['data'])
      expect(Object.keys(body.data)).toEqual(['id', 'type', 'attributes'])
      for (const name of counts) expect(body.data.attributes).not.toHaveProperty(camelToSnake(name))
      const list = await workspace.api.get(`/${type}${query}`)
      expect(Object.keys(list.body).sort()).toEqual(['data', 'links', 'meta'])
    }
  })

  it('as a comma list, a JSON list in a body, or include[]= repeated; repeats fold', async () => {
    const { workspace } = world
    const { api } = workspace
    const names = includeNames(resource)
    const { data, included } = (await api.get(`/${type}?include=${names}`)).body
    for (const answer of [
      await api.get(`/${type}?${names.map((name) => `include[]=${name}`).join('&')}`),
      await api.get(`/${type}?${names.map((name, index) => `include[${index}]=${name}`).join('&')}`),
      await api.get(`/${type}?include=${[...names, ...names]}`),
      await api.get(`/${type}?include=${names.join(' , ')}`),
      await api.post(`/${type}/query`, { include: names.join(',') }),
      await api.post(`/${type}/query`, { include: names }),
    ]) {
      expect(answer.body.data).toEqual(data)
      expect(answer.body.included).toEqual(included)
    }
    // Counts are in the order of the resource, whatever the order in which they were asked for.
    const backwards = await api.get(`/${type}?include=${[...names].reverse()}`)
    expect(JSON.stringify(backwards.body.data[0].attributes)).toBe(JSON.stringify(data[0].attributes))
  })

  it('unknown: 422, naming it, what is accepted and the nearest name', async () => {
    const { full, workspace } = world
    const { api } = workspace
    const known = includeNames(resourceIn((await workspace.scope()).schema, type))
    const accepted = `Accepted: ${known.join(', ')}.`
    for (const name of [
      'nobody',
      'creator.company',
      'Creator',
      'creator_id',
      'peoplecount',
      'custom_fields',
      'constructor',
      '*',
    ]) {
      for (const asking of [
        api.get(`/${type}?include=creator,${name}`),
        api.get(`/${type}/${full[type]}?include[]=${name}`),
        api.post(`/${type}?include=${name}`, { [label]: 'Never made' }),
        api.put(`/${type}/${full[type]}?include=${name}`, { [label]: 'Never changed' }),
        api.post(`/${type}/query`, { include: [name] }),
      ]) {
        const errors = await errorsOf(asking)
        expect(Object.keys(errors)).toEqual(['include'])
        expect(errors.include?.[0]).toContain(name)
        expect(errors.include?.[0]).toContain(accepted)
      }
    }
    expect((await errorsOf(api.get(`/${type}?include=craetor`))).include?.[0]).toContain('Did you mean creator?')
    const never = await api.get(`/${type}?filter[${label}][$contains]=never`)
    expect(never.body.data).toEqual([])
    for (const include of [7, true, { creator: true }, [7], [['creator']]]) {
      expect(Object.keys(await errorsOf(api.post(`/${type}/query`, { include })))).toEqual(['include'])
    }
  })

  it('works on create, update and upsert answers', async () => {
    const workspace = await newWorkspace()
    const { api, owner } = workspace
    await workspace.field(type, { name: 'Ref', type: 'text', unique: true })
    const [id] = await stock(workspace, type, [{ [label]: 'One' }])
    const query = `include=${includeNames(resource)}`
    const upsert = { match: { field: 'ref', value: 'r' }, [label]: 'Two' }
    for (const [status, answer] of [
      [201, await api.post(`/${type}?${query}`, { [label]: 'New' })],
      [201, await api.post(`/${type}/upsert?${query}`, upsert)],
      [200, await api.post(`/${type}/upsert?${query}`, upsert)],
      [200, await api.put(`/${type}/${id}?${query}`, { [label]: 'Other' })],
      [200, await api.patch(`/${type}/${id}?${query}`, {})],
    ] as const) {
      expect(answer.status, answer.text).toBe(status)
      const { data, included } = answer.body
      expect(Object.keys(data.relationships)).toEqual(relations)
      expect(data.relationships.creator).toEqual({ data: { id: owner.id, type: 'users' } })
      expect(included).toEqual([{ id: owner.id, type: 'users', attributes: { name: owner.name, email: owner.email } }])
      for (const name of counts) expect(data.attributes[camelToSnake(name)]).toBe(0)
      const read = await api.get(`/${type}/${data.id}?${query}`)
      expect(answer.body).toEqual(read.body)
    }
  })
})
