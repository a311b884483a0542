import { beforeAll, describe, expect, it } from 'vitest'
import { madeResource } from '../../own-resource.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
  await madeResource(workspace, { name: 'Projects', singular: 'Project' })
  const fields = [
    { name: 'Account', type: 'record', target: 'companies' },
    { name: 'Partners', type: 'record', target: 'companies', multiple: true },
  ]
  for (const field of fields) expect((await workspace.api.post('/schema/projects/fields', field)).status).toBe(201)
  for (const multiple of [false, true]) {
    const name = multiple ? 'Related' : 'Parent'
    const field = { name, type: 'record', target: 'companies', multiple }
    expect((await workspace.api.post('/schema/companies/fields', field)).status).toBe(201)
  }
})

async function company(custom_fields: object = {}): Promise<string> {
  return (await workspace.api.post('/companies', { name: 'C', custom_fields })).body.data.id
}

async function project(custom_fields: object): Promise<string> {
  const answer = await workspace.api.post('/projects', { name: 'P', custom_fields })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.id
}

async function merge(winner: string, ...loser_ids: string[]): Promise<string> {
  const answer = await workspace.api.put(`/companies/${winner}/merge`, { loser_ids })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.meta.merge_id
}

async function undo(id: string): Promise<void> {
  const answer = await workspace.api.put(`/merges/${id}/undo`)
  expect(answer.status, answer.text).toBe(200)
}

async function values(resource: string, id: string): Promise<Record<string, unknown>> {
  const { custom_fields } = (await workspace.api.get(`/${resource}/${id}`)).body.data.attributes
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain)
    return typeof value === 'object' && value !== null && 'id' in value ? value.id : value
  }
  return Object.fromEntries(Object.entries(custom_fields).map(([code, value]) => [code, plain(value)]))
}

describe('References to a loser', () => {
  it('lead to the winner, at the place of the loser, and go back with an undo', async () => {
    const [winner, loser, other, third] = [await company(), await company(), await company(), await company()]
    const single = await project({ account: loser })
    const list = await project({ partners: [other, loser, third] })
    const both = await project({ partners: [winner, other, loser] })
    const two = await project({ partners: [third, loser, other], account: loser })
    const start = (await workspace.api.get('/changes?cursor=now')).body.meta.next_cursor
    const id = await merge(winner, loser, third)
    expect(await values('projects', single)).toMatchObject({ account: winner })
    expect(await values('projects', list)).toMatchObject({ partners: [other, winner] })
    expect(await values('projects', both)).toMatchObject({ partners: [winner, other] })
    expect(await values('projects', two)).toMatchObject({ partners: [winner, other], account: winner })
    const entries = (await workspace.api.get(`/changes?cursor=${start}&resource=projects`)).body.data
    expect(entries.map(({ attributes }: { attributes: { kind: string } }) => attributes.kind)).toEqual(
      [single, list, both, two].map(() => 'updated'),
    )
    await undo(id)
    expect(await values('projects', single)).toMatchObject({ account: loser })
    expect(await values('projects', list)).toMatchObject({ partners: [other, loser, third] })
    expect(await values('projects', both)).toMatchObject({ partners: [winner, other, loser] })
    expect(await values('projects', two)).toMatchObject({ partners: [third, loser, other], account: loser })
  })

  it('stay where they were changed since', async () => {
    const [winner, loser, other] = [await company(), await company(), await company()]
    const [changed, same, again] = [
      await project({ partners: [loser] }),
      await project({ account: loser }),
      await project({ account: loser }),
    ]
    const id = await merge(winner, loser)
    await workspace.api.patch(`/projects/${changed}`, { custom_fields: { partners: [winner, other] } })
    await workspace.api.patch(`/projects/${same}`, { custom_fields: { account: winner } })
    await workspace.api.patch(`/projects/${again}`, { custom_fields: { account: other } })
    await workspace.api.patch(`/projects/${again}`, { custom_fields: { account: winner } })
    await undo(id)
    expect(await values('projects', changed)).toMatchObject({ partners: [winner, other] })
    // What a merge gave and a write repeats is no change.
    expect(await values('projects', same)).toMatchObject({ account: loser })
    expect(await values('projects', again)).toMatchObject({ account: winner })
  })

  it('move in deleted records, and in fields that are archived', async () => {
    const [winner, loser] = [await company(), await company()]
    const deleted = await project({ account: loser, partners: [loser] })
    const live = await project({ partners: [loser] })
    await workspace.api.delete(`/projects/${deleted}`)
    await workspace.api.delete('/schema/projects/fields/partners')
    await merge(winner, loser)
    await workspace.api.put('/schema/projects/fields/partners/restore')
    await workspace.api.put(`/projects/${deleted}/restore`)
    expect(await values('projects', deleted)).toMatchObject({ account: winner, partners: [winner] })
    expect(await values('projects', live)).toMatchObject({ partners: [winner] })
    const filter = { custom_fields: { partners: { $in: [winner] } } }
    expect((await workspace.api.post('/projects/query', { filter })).body.meta.total).toBe(2)
  })
})

describe('The winner', () => {
  it('takes what it lacks, and joins lists', async () => {
    const [a, b] = [await company(), await company()]
    const winner = await company({ related: [a] })
    const loser = await company({ parent: a, related: [b, a] })
    const id = await merge(winner, loser)
    expect(await values('companies', winner)).toMatchObject({ parent: a, related: [a, b] })
    await undo(id)
    expect(await values('companies', winner)).toMatchObject({ parent: null, related: [a] })
    expect(await values('companies', loser)).toMatchObject({ parent: a, related: [b, a] })
  })

  it('takes a value in place of one that is hidden', async () => {
    const [gone, there] = [await company(), await company()]
    const winner = await company({ parent: gone })
    const loser = await company({ parent: there })
    await workspace.api.delete(`/companies/${gone}`)
    await merge(winner, loser)
    expect(await values('companies', winner)).toMatchObject({ parent: there })
  })

  it('never refers to itself', async () => {
    const other = await company()
    const loser = await company()
    const winner = await company({ parent: loser, related: [other, loser] })
    await workspace.api.patch(`/companies/${loser}`, { custom_fields: { parent: winner, related: [winner, other] } })
    const second = await company({ parent: other })
    const id = await merge(winner, loser, second)
    expect(await values('companies', winner)).toMatchObject({ parent: null, related: [other] })
    await undo(id)
    expect(await values('companies', winner)).toMatchObject({ parent: loser, related: [other, loser] })
    expect(await values('companies', loser)).toMatchObject({ parent: winner, related: [winner, other] })
    expect(await values('companies', second)).toMatchObject({ parent: other })
  })

  it('may be given values', async () => {
    const [winner, loser, other] = [await company(), await company(), await company()]
    const attributes = { custom_fields: { parent: { id: other, type: 'companies' }, related: [loser, other] } }
    const answer = await workspace.api.put(`/companies/${winner}/merge`, { loser_ids: [loser], attributes })
    expect(answer.status, answer.text).toBe(200)
    expect(await values('companies', winner)).toMatchObject({ parent: other, related: [other] })
  })
})

it('A write that names a merged record is told the winner', async () => {
  const [winner, loser] = [await company(), await company()]
  await merge(winner, loser)
  const answer = await workspace.api.post('/projects', { name: 'P', custom_fields: { partners: [loser] } })
  expect(answer.body.errors['custom_fields.partners.0'][0]).toContain(winner)
})
