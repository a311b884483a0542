import { beforeAll, describe, expect, it } from 'vitest'
import { type Browser, signedInMember } from '../../browser.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { follow, now, told } from '../changes/feed.ts'

let workspace: TestWorkspace
let member: Browser
let keys = 0

beforeAll(async () => {
  workspace = await newWorkspace()
  member = (await signedInMember(workspace, 'member')).browser
  await workspace.field('companies', { name: 'Labels', type: 'tags-input' })
  await workspace.field('companies', { name: 'Registration', type: 'text', unique: true })
})

const newKey = () => `key ${keys++}`
const bulk = (what: string, body: object, who = member) => who.post(`/w/${workspace.slug}/bulk/${what}`, body)

async function done(what: string, body: object) {
  const { status, body: answered } = await bulk(what, { key: newKey(), ...body })
  expect(status, JSON.stringify(answered)).toBe(200)
  return answered.data
}

async function make(resource: string, ...bodies: object[]): Promise<string[]> {
  const made = await Promise.all(bodies.map((body) => workspace.api.post(`/${resource}`, body)))
  return made.map(({ body }) => body.data.id)
}

const read = async (path: string) => (await workspace.api.get(path)).body.data
const fieldsOf = async (resource: string, id: string) => (await read(`/${resource}/${id}`)).attributes.custom_fields
const outcomes = (results: { outcome: string }[]) => results.map(({ outcome }) => outcome)

describe('Bulk edit', () => {
  it('sets and clears a field, names the changes, and their undo restores it', async () => {
    const ids = await make(
      'opportunities',
      { name: 'One', custom_fields: { stage: 'Proposal' } },
      { name: 'Two' },
      { name: 'Three', custom_fields: { stage: 'Negotiation' } },
    )
    const attribute = 'custom_fields.stage'
    const edit = { resource: 'opportunities', attribute, ids }
    const set = await done('edit', { ...edit, op: 'set', value: 'Proposal' })
    expect(set).toMatchObject([
      { id: ids[0], outcome: 'same' },
      { outcome: 'changed', change: expect.any(String) },
      { outcome: 'changed', change: expect.any(String) },
    ])
    expect(await undone(set)).toEqual([200, 200])
    const after = await Promise.all(ids.map(async (id) => (await fieldsOf('opportunities', id)).stage?.label ?? null))
    expect(after).toEqual(['Proposal', null, 'Negotiation'])
    expect(outcomes(await done('edit', { ...edit, op: 'clear' }))).toEqual(['changed', 'same', 'changed'])
    expect((await fieldsOf('opportunities', ids[0] ?? '')).stage).toBe(null)
  })

  it.each([
    ['set', ['second'], ['second']],
    ['clear', undefined, []],
  ])('%ss a list of records and keeps those in the trash, which come back with a restore', async (op, names, shown) => {
    await workspace.field('people', { name: `Firms to ${op}`, type: 'record', target: 'companies', multiple: true })
    const code = `firms_to_${op}`
    const [first = '', second = '', gone = ''] = await make('companies', { name: 'A' }, { name: 'B' }, { name: 'C' })
    const named: Record<string, string> = { [first]: 'first', [second]: 'second', [gone]: 'gone' }
    const [id = ''] = await make('people', { name: 'Ada', custom_fields: { [code]: [first, gone, second] } })
    await workspace.api.delete(`/companies/${gone}`)
    const value = names?.map((name) => Object.keys(named).find((one) => named[one] === name))
    const edit = { resource: 'people', attribute: `custom_fields.${code}`, ids: [id], op, value }
    expect(outcomes(await done('edit', edit))).toEqual(['changed'])
    const held = async () => {
      return (await fieldsOf('people', id))[code].map((one: { id: string }) => named[one.id])
    }
    expect(await held()).toEqual(shown)
    expect(outcomes(await done('edit', edit))).toEqual(['same'])
    await workspace.api.put(`/companies/${gone}/restore`)
    expect(await held()).toEqual(['gone', ...shown])
  })

  it('adds to and removes from a list, in any letter case, without losing what another writes meanwhile', async () => {
    const [id = ''] = await make('companies', { name: 'Acme', custom_fields: { labels: ['beta'] } })
    const edit = { resource: 'companies', attribute: 'custom_fields.labels', ids: [id] }
    const tags = Array.from({ length: 4 }, (_, index) => `tag-${index}`)
    await Promise.all(tags.map((tag) => done('edit', { ...edit, op: 'add', value: [tag, 'Beta'] })))
    expect((await fieldsOf('companies', id)).labels.toSorted()).toEqual(['beta', ...tags])
    expect(outcomes(await done('edit', { ...edit, op: 'remove', value: tags }))).toEqual(['changed'])
    expect((await fieldsOf('companies', id)).labels).toEqual(['beta'])
    expect(outcomes(await done('edit', { ...edit, op: 'remove', value: ['other'] }))).toEqual(['same'])
  })

  it('sets, adds to, removes from and clears reference fields, and undo restores them', async () => {
    const field = { type: 'record', target: 'companies' }
    await workspace.field('people', { ...field, name: 'Investor' })
    await workspace.field('people', { ...field, name: 'Clients', multiple: true })
    const [acme = '', other = ''] = await make('companies', { name: 'Acme' }, { name: 'Other' })
    const ids = await make('people', { name: 'Ada' }, { name: 'Grace', custom_fields: { clients: [acme] } })
    const held = async (code: string) => Promise.all(ids.map(async (id) => (await fieldsOf('people', id))[code]))
    const named = (id: string) => ({ id, type: 'companies' })
    const investor = { resource: 'people', attribute: 'custom_fields.investor', ids }
    await done('edit', { ...investor, op: 'set', value: named(acme) })
    expect(await held('investor')).toEqual([named(acme), named(acme)])
    expect((await bulk('edit', { ...investor, op: 'add', value: named(other), key: newKey() })).body.errors).toEqual({
      op: ['Only lists take add. Use set or clear.'],
    })
    expect(outcomes(await done('edit', { ...investor, op: 'clear' }))).toEqual(['changed', 'changed'])
    const clients = { ...investor, attribute: 'custom_fields.clients' }
    const added = await done('edit', { ...clients, op: 'add', value: [named(acme), named(other)] })
    expect(outcomes(added)).toEqual(['changed', 'changed'])
    expect(await held('clients')).toEqual([
      [named(acme), named(other)],
      [named(acme), named(other)],
    ])
    await undone(added)
    expect(await held('clients')).toEqual([[], [named(acme)]])
    await done('edit', { ...clients, op: 'remove', value: [named(acme)] })
    expect(await held('clients')).toEqual([[], []])
  })

  it('changes references, names and links', async () => {
    const [acme = '', other = ''] = await make('companies', { name: 'Acme' }, { name: 'Other' })
    const [task = ''] = await make('tasks', { title: 'Call', company_ids: [acme] })
    const [ada = ''] = await make('people', { name: 'Ada', company_id: acme })
    const links = { resource: 'tasks', attribute: 'company_ids', ids: [task] }
    const [added] = await done('edit', { ...links, op: 'add', value: [other, acme] })
    expect(added.outcome).toBe('changed')
    const linked = async () => {
      const { relationships } = await read(`/tasks/${task}?include=companies`)
      return relationships.companies.data.map((one: { id: string }) => one.id).toSorted()
    }
    expect(await linked()).toEqual([acme, other].toSorted())
    await undone([added])
    expect(await linked()).toEqual([acme])
    const company = { resource: 'people', attribute: 'company_id', ids: [ada] }
    await done('edit', { ...company, op: 'set', value: other })
    expect((await read(`/people/${ada}`)).attributes.company_id).toBe(other)
    await done('edit', { ...company, op: 'clear' })
    expect((await read(`/people/${ada}`)).attributes.company_id).toBe(null)
    await done('edit', { resource: 'people', attribute: 'name', ids: [ada], op: 'set', value: 'Ada L.' })
    expect((await read(`/people/${ada}`)).attributes.name).toBe('Ada L.')
  })

  it('leaves out records that are deleted or no longer match, and reports refused ones without stopping', async () => {
    const [gold = '', changed = '', gone = ''] = await make(
      'companies',
      { name: 'Gold A', custom_fields: { labels: ['gold'] } },
      { name: 'Gold B', custom_fields: { labels: ['gold'] } },
      { name: 'Gold C', custom_fields: { labels: ['gold'] } },
    )
    const filter = { custom_fields: { labels: { $has_any: ['gold'] } } }
    const listed = await bulk('ids', { resource: 'companies', filter })
    expect(listed.body.data).toEqual({ ids: [gold, changed, gone].toSorted(), after: null })
    await workspace.api.patch(`/companies/${changed}`, { custom_fields: { labels: [] } })
    await workspace.api.delete(`/companies/${gone}`)
    const ids = [gold, changed, gone]
    const attribute = 'custom_fields.icp'
    const results = await done('edit', { resource: 'companies', ids, filter, attribute, op: 'set', value: true })
    expect(outcomes(results)).toEqual(['changed', 'skipped', 'skipped'])
    const bad = await done('edit', { resource: 'companies', ids, attribute, op: 'set', value: 'maybe' })
    expect(bad[0]).toMatchObject({ outcome: 'failed', message: expect.stringContaining('ICP') })
    expect(bad[2].outcome).toBe('skipped')
  })

  it('undo leaves alone what was changed since', async () => {
    const ids = await make('companies', { name: 'A' }, { name: 'B' })
    const attribute = 'custom_fields.icp'
    const results = await done('edit', { resource: 'companies', ids, attribute, op: 'set', value: true })
    await workspace.api.patch(`/companies/${ids[0]}`, { name: 'A, renamed', custom_fields: { icp: false } })
    expect((await undone(results)).toSorted()).toEqual([200, 422])
    expect((await fieldsOf('companies', ids[0] ?? '')).icp).toBe(false)
    expect((await fieldsOf('companies', ids[1] ?? '')).icp).toBe(null)
  })

  it('a request that is sent again with its key has the first result, and changes nothing', async () => {
    const [id = ''] = await make('companies', { name: 'Once' })
    const body = { resource: 'companies', ids: [id], attribute: 'name', op: 'set', value: 'Twice', key: newKey() }
    const first = await bulk('edit', body)
    expect(first.body.data[0]).toMatchObject({ outcome: 'changed', change: expect.any(String) })
    expect((await bulk('edit', body)).body).toEqual(first.body)
    expect((await bulk('edit', { ...body, value: 'Thrice' })).status).toBe(422)
  })

  it('has entries in the audit log and in the feed, as any update', async () => {
    const [id = ''] = await make('companies', { name: 'Noted' })
    const cursor = await now(workspace)
    await done('edit', { resource: 'companies', ids: [id], attribute: 'name', op: 'set', value: 'Noted twice' })
    expect((await follow(workspace, cursor)).entries.map(told)).toEqual(['updated companies name'])
    const { data } = (await member.get(`/w/${workspace.slug}/activity?resource=companies&record_id=${id}`)).body
    expect(data[0].entry).toMatchObject({ action: 'update', source: 'web' })
  })

  it('refuses what the attribute does not take, and readers', async () => {
    const ids = await make('companies', { name: 'A' }, { name: 'B' })
    const asked = { resource: 'companies', ids, key: newKey() }
    const refused = async (body: object) => (await bulk('edit', { ...asked, ...body })).body.errors
    expect(await refused({ attribute: 'nam', op: 'set', value: 'x' })).toHaveProperty('attribute')
    expect(await refused({ attribute: 'name', op: 'add', value: ['x'] })).toHaveProperty('op')
    expect(await refused({ attribute: 'name', op: 'set' })).toHaveProperty('value')
    expect(await refused({ attribute: 'name', op: 'turn' })).toHaveProperty('op')
    const unique = { attribute: 'custom_fields.registration', op: 'set', value: 'x' }
    expect((await refused(unique)).op).toEqual([expect.stringContaining('No two records')])
    expect(await refused({ attribute: 'name', op: 'set', value: 'x', ids: [] })).toHaveProperty('ids')
    const viewer = (await signedInMember(workspace, 'viewer')).browser
    for (const what of ['edit', 'delete']) {
      expect((await bulk(what, asked, viewer)).status, what).toBe(403)
    }
  })
})

describe('Bulk delete', () => {
  it('deletes what still matches, and undo restores it unless it was restored since', async () => {
    const ids = await make('notes', { title: 'Old 1' }, { title: 'Old 2' }, { title: 'New' })
    const filter = { title: { $contains: 'old' } }
    const results = await done('delete', { resource: 'notes', ids, filter })
    expect(outcomes(results)).toEqual(['changed', 'changed', 'skipped'])
    expect((await workspace.api.get(`/notes/${ids[0]}`)).status).toBe(404)
    await member.put(`/w/${workspace.slug}/v1/notes/${ids[1]}/restore`)
    expect(await undone(results)).toEqual([200, 200])
    expect(await undone(results)).toEqual([200, 200])
    for (const id of ids) expect((await workspace.api.get(`/notes/${id}`)).status).toBe(200)
  })
})

/** Undoes what was changed, as the application does. */
async function undone(results: { change?: string }[]): Promise<number[]> {
  const ids = results.flatMap(({ change }) => change ?? [])
  const { body } = await member.post(`/w/${workspace.slug}/v1/changes/undo`, { ids })
  return body.data.map(({ status }: { status: number }) => status)
}
