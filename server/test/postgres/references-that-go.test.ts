import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { runOperations } from '../../src/batch/run-operations.ts'
import { findChange } from '../../src/changes/undo/found-change.ts'
import { undoChange } from '../../src/changes/undo/undo-changes.ts'
import { mergeRecords } from '../../src/records/merge/merge.ts'
import { undoMerge } from '../../src/records/merge/undo-merge.ts'
import { removeRecord } from '../../src/records/trash/restore.ts'
import { updateRecord } from '../../src/records/write.ts'
import type { Scope } from '../../src/scope/scope.ts'
import { ownService } from '../own-service.ts'
import { historyOf, lastChange } from '../undoing.ts'
import { pausedAt, untilOneWaits } from './two-at-once.ts'

const { companies, people } = registry
const own = await ownService()

/** Somebody who works for a company, and who has two companies in a list of firms. */
async function employee() {
  const workspace = await own.workspace()
  const { api } = workspace
  await workspace.field('people', { name: 'Firms', type: 'record', target: 'companies', multiple: true })
  const made = async (path: string, body: object): Promise<string> => (await api.post(path, body)).body.data.id
  const [staying, going] = [await made('/companies', { name: 'Staying' }), await made('/companies', { name: 'Going' })]
  const custom_fields = { firms: [staying, going] }
  const id = await made('/people', { name: 'Ada', company_id: staying, custom_fields })
  return { workspace, scope: await workspace.scope(), staying, going, id }
}

type Employee = Awaited<ReturnType<typeof employee>>

/** Deletes the company when a write has come to a statement, then lets the write go on. */
async function removedAt<T>(
  { scope, going }: Employee,
  point: RegExp,
  write: (scope: Scope) => Promise<T>,
): Promise<T> {
  const writing = pausedAt(scope, point)
  const written = write(writing.scope)
  await Promise.race([writing.reached, written])
  const removal = removeRecord(scope, companies, { id: going })
  // It waits if the write has locked the company.
  await untilOneWaits(scope, removal)
  writing.goOn()
  await removal
  return written
}

/** Whether the last entry of a record has the company in the value before, and whether a response shows it. */
async function seen({ workspace, going, id }: Employee, response: unknown) {
  const [entry] = await historyOf(workspace.api, 'people', id)
  const changes = entry?.attributes.changes
  const before = Array.isArray(changes) ? changes.map((change) => change.before) : []
  return { before: JSON.stringify(before).includes(going), shown: JSON.stringify(response).includes(going) }
}

const undoOf = async (scope: Scope, id: string) => {
  const change = await findChange(scope, id)
  return (inside: Scope) => undoChange(inside, change, { body: {}, expected: undefined, issues: [] })
}

const asked = { raw: {}, loose: false, issues: [] }

describe('A company that is deleted while a record that refers to it is written', () => {
  it('is in the history of an undo and in its response', async () => {
    const one = await employee()
    const { api } = one.workspace
    await api.put(`/people/${one.id}`, { company_id: one.going })
    const undo = await undoOf(one.scope, await lastChange(api, 'people', one.id))
    const { presented } = await removedAt(one, /insert into "?audit_log/, undo)
    expect(await seen(one, presented?.data())).toEqual({ before: true, shown: true })
  })

  it('does not keep an undo from taking it out of a list', async () => {
    const one = await employee()
    const { api } = one.workspace
    await api.put(`/people/${one.id}`, { custom_fields: { firms: [one.staying] } })
    await api.put(`/people/${one.id}`, { custom_fields: { firms: [one.staying, one.going] } })
    const undo_of = await lastChange(api, 'people', one.id)
    const undo = await undoOf(one.scope, undo_of)
    const { change_id } = await removedAt(one, /undo_of/, undo)
    expect((await historyOf(api, 'people', one.id))[0]).toMatchObject({
      id: change_id,
      attributes: { undo_of },
    })
  })

  it.each<[string, (inside: Scope, one: Employee) => Promise<unknown>]>([
    [
      'an update with related records',
      async (inside, { id, staying }) => {
        const sent = { id, body: { company_id: staying }, asked: { ...asked, raw: { include: 'company' } } }
        return (await updateRecord(inside, people, sent)).data()
      },
    ],
    [
      'a batch that returns records',
      async (inside, { id, staying }) => {
        const update = { op: 'update', resource: 'people', id, data: { company_id: staying } } as const
        const [done] = await runOperations(inside, [update], { shows: true })
        return done && 'shown' in done ? done.shown : undefined
      },
    ],
  ])('is neither in the history of %s nor in its response', async (_, write) => {
    const one = await employee()
    await one.workspace.api.put(`/people/${one.id}`, { company_id: one.going })
    const response = await removedAt(one, /update "?records/, (inside) => write(inside, one))
    expect(await seen(one, response)).toEqual({ before: false, shown: false })
  })

  it('is in the history of a merge and in its response', async () => {
    const one = await employee()
    const { api } = one.workspace
    const third = (await api.post('/companies', { name: 'Third' })).body.data.id
    const other = await api.post('/people', { name: 'Bo', custom_fields: { firms: [third] } })
    const merged = await removedAt(one, /insert into "?merges/, (inside) =>
      mergeRecords(inside, people, { winner_id: one.id, loser_ids: [other.body.data.id] }),
    )
    expect(await seen(one, merged.data())).toEqual({ before: true, shown: true })
  })

  it('is in the history of the undo of a merge and in its response', async () => {
    const one = await employee()
    const { api } = one.workspace
    await api.put(`/people/${one.id}`, { company_id: null })
    const other = await api.post('/people', { name: 'Bo', company_id: one.going })
    const { merge_id } = await mergeRecords(one.scope, people, { winner_id: one.id, loser_ids: [other.body.data.id] })
    const winner = await removedAt(one, /update merges/, (inside) => undoMerge(inside, merge_id))
    expect(await seen(one, winner.data())).toEqual({ before: true, shown: true })
  })
})
