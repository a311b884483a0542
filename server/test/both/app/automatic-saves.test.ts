import { registry } from '@kith/contract/registry'
import { beforeAll, describe, expect, it } from 'vitest'
import { withSource } from '../../../src/accounts/workspace.ts'
import { findChange } from '../../../src/changes/undo/found-change.ts'
import { undoChange } from '../../../src/changes/undo/undo-changes.ts'
import { updateRecord } from '../../../src/records/write.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { type Browser, signedInMember } from '../../browser.ts'
import { historyOf } from '../../undoing.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { follow, now } from '../changes/feed.ts'

let workspace: TestWorkspace
let member: Browser
let other: Browser

beforeAll(async () => {
  workspace = await newWorkspace()
  member = (await signedInMember(workspace, 'member')).browser
  other = (await signedInMember(workspace, 'member')).browser
})

const AUTOMATIC: Record<string, string> = { 'X-Kith-Save': 'automatic' }

/** A note with a text, and what saves, reads and undoes it. */
async function note(text = 'first') {
  const { api, slug } = workspace
  const { id } = (await api.post('/notes', { title: 'Plan', custom_fields: { body: text } })).body.data
  const written = async (body: object, who = member, headers = AUTOMATIC) => {
    const answer = await who.send('PATCH', `/w/${slug}/v1/notes/${id}`, JSON.stringify(body), { headers })
    expect(answer.status, answer.text).toBe(200)
  }
  return {
    id,
    written,
    save: (body: string, who = member, headers = AUTOMATIC) => written({ custom_fields: { body } }, who, headers),
    body: async () => (await api.get(`/notes/${id}`)).body.data.attributes.custom_fields.body,
    /** The values before and after each change, the latest first, without the creation. */
    async changes() {
      const entries = (await historyOf(api, 'notes', id)).filter(({ attributes }) => attributes.action !== 'create')
      return entries.map((entry) => ({ id: entry.id, changes: entry.attributes.changes as Shown[] }))
    },
    undo: (change: string) => api.put(`/changes/${change}/undo`),
  }
}

type Shown = { field: string; before: unknown; after: unknown; truncated: boolean }

const valuesIn = (entries: readonly { changes: readonly Shown[] }[]) =>
  entries.map(({ changes }) => changes.map(({ before, after }) => [before, after]))

describe('Automatic saves of one person', () => {
  it('are one change in the history, the activity and the audit log, and one entry each in the feed', async () => {
    const one = await note()
    const cursor = await now(workspace)
    for (const text of ['second', 'third', 'fourth']) await one.save(text)
    expect(valuesIn(await one.changes())).toEqual([[['first', 'fourth']]])
    const { data } = (await member.get(`/w/${workspace.slug}/activity?resource=notes&record_id=${one.id}`)).body
    expect(data.filter(({ kind }: { kind: string }) => kind === 'changes')).toHaveLength(2)
    const owner = (await signedInMember(workspace, 'owner')).browser
    const log = (await owner.get(`/w/${workspace.slug}/audit?resource=notes&per_page=1`)).body.data
    expect(log[0]).toMatchObject({ record_id: one.id, changes: [{ before: 'first', after: 'fourth' }] })
    const feed = (await follow(workspace, cursor, 'resource=notes&payload=diff')).entries
    expect(new Set(feed.map(({ id }) => id)).size).toBe(3)
    expect(valuesIn(feed.map(({ attributes }) => ({ changes: attributes.changes ?? [] })))).toEqual([
      [['first', 'second']],
      [['second', 'third']],
      [['third', 'fourth']],
    ])
  })

  it('are undone as a whole by the id of any of them, once, and in full', async () => {
    const long = (word: string) => `${word} `.repeat(400).trim()
    for (const named of [0, 1, 2]) {
      const one = await note(long('first'))
      const cursor = await now(workspace)
      for (const text of ['short', long('third'), long('fourth')]) await one.save(text)
      const ids = (await follow(workspace, cursor, 'resource=notes')).entries.map(({ id }) => id)
      const [whole] = await one.changes()
      const read = (await workspace.api.get(`/changes/${ids[named]}`)).body.data
      expect(read.id).toBe(whole?.id)
      expect(read.attributes.changes).toMatchObject([{ before: long('first'), after: long('fourth') }])
      expect((await one.undo(ids[named] ?? '')).status).toBe(200)
      expect(await one.body()).toBe(long('first'))
      const again = await workspace.api.post('/changes/undo', { ids })
      expect(again.body.data.map(({ id, status }: { id: string; status: number }) => [id, status])).toEqual(
        ids.toReversed().map((id) => [id, 200]),
      )
      expect(await one.body()).toBe(long('first'))
    }
  })

  it('keep one value in full, before the first and after the last', async () => {
    const one = await note('short')
    for (const letter of ['a', 'b', 'c']) await one.save(letter.repeat(2000))
    const { engine } = workspace.runtime
    const rows = await sql<{ before: string; after: string }>`select before, after from change_values
      where workspace_id = ${workspace.id} and record_id = ${one.id}`.all(engine.db)
    expect(rows).toEqual([{ before: '"short"', after: JSON.stringify('c'.repeat(2000)) }])
    await one.save('end')
    const [change] = await one.changes()
    expect((await workspace.api.get(`/changes/${change?.id}`)).body.data.attributes.changes).toMatchObject([
      { before: 'short', after: 'end' },
    ])
  })

  it('are undone with a save that comes after the undo has looked for them', async () => {
    const one = await note()
    await one.save('second')
    const scope = await workspace.scope()
    const change = await findChange(scope, (await one.changes())[0]?.id ?? '')
    await one.save('third')
    await undoChange(scope, change, { body: {}, expected: undefined, issues: [] })
    expect(await one.body()).toBe('first')
  })

  it('are not undone if the text was changed since', async () => {
    const one = await note()
    await one.save('second')
    await one.save('third')
    const [whole] = await one.changes()
    await one.save('fourth', member, {})
    const refused = await one.undo(whole?.id ?? '')
    expect(refused.status).toBe(422)
    expect(Object.keys(refused.body.errors)).toEqual(['custom_fields.body'])
    expect(await one.body()).toBe('fourth')
  })

  it('begin another change after a change by hand, of someone else, of another attribute, and after an undo', async () => {
    const one = await note()
    await one.save('second')
    await one.save('third', other)
    await one.save('fourth', other)
    await one.save('by hand', other, {})
    await one.save('sixth', other)
    await one.written({ title: 'Title' }, other)
    await one.written({ title: 'Title', custom_fields: { body: 'eighth' } }, other)
    const changes = await one.changes()
    expect(valuesIn(changes)).toEqual([
      [['sixth', 'eighth']],
      [['Plan', 'Title']],
      [['by hand', 'sixth']],
      [['fourth', 'by hand']],
      [['second', 'fourth']],
      [['first', 'second']],
    ])
    await one.undo(changes[0]?.id ?? '')
    await one.save('ninth', other)
    expect(valuesIn((await one.changes()).slice(0, 2))).toEqual([[['sixth', 'ninth']], [['eighth', 'sixth']]])
  })

  it('are never so through the public API, and are whole changes for other attributes than values', async () => {
    const { api } = workspace
    const one = await note()
    const path = `/notes/${one.id}`
    for (const body of ['second', 'third']) {
      const answer = await api.send('PATCH', path, JSON.stringify({ custom_fields: { body } }), { headers: AUTOMATIC })
      expect(answer.status).toBe(200)
    }
    const company = (await api.post('/companies', { name: 'Acme' })).body.data.id
    await one.written({ company_ids: [company] })
    await one.written({ company_ids: [] })
    expect(valuesIn(await one.changes())).toEqual([
      [[[company], []]],
      [[[], [company]]],
      [['second', 'third']],
      [['first', 'second']],
    ])
  })

  it('begin another change an hour after the first one', async () => {
    const one = await note()
    const scope = withSource(await workspace.scope(), 'web')
    const start = Date.now()
    const asked = { raw: {}, loose: false, issues: [] }
    const saving = (minutes: number): Scope => ({ ...scope, now: () => new Date(start + minutes * 60_000) })
    for (const minutes of [1, 30, 60.9, 61.1, 90]) {
      const sent = { body: { custom_fields: { body: `${minutes}` } }, asked, automatic: true }
      await updateRecord(saving(minutes), registry.notes, { id: one.id, ...sent })
    }
    expect(valuesIn(await one.changes())).toEqual([[['60.9', '90']], [['first', '60.9']]])
  })

  it('at the same moment as other changes make up the way of the text', async () => {
    const one = await note()
    const saves = Array.from({ length: 12 }, (_, index) => {
      const by = index % 3 === 0 ? other : member
      return one.save(`text ${index}`, by, index % 4 === 3 ? {} : AUTOMATIC)
    })
    await Promise.all(saves)
    const steps = valuesIn(await one.changes())
      .flat()
      .toReversed()
    expect(steps[0]?.[0]).toBe('first')
    for (const [index, [before]] of steps.entries()) if (index > 0) expect(before).toBe(steps[index - 1]?.[1])
    expect(steps.at(-1)?.[1]).toBe(await one.body())
  })
})
