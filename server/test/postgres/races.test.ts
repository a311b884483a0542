import { Refusal } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import { archiveField, restoreField } from '../../src/fields/archive.ts'
import { createRecord } from '../../src/records/create.ts'
import { mergeRecords } from '../../src/records/merge/merge.ts'
import { undoMerge } from '../../src/records/merge/undo-merge.ts'
import { removeRecord } from '../../src/records/trash/remove.ts'
import { restoreRecord } from '../../src/records/trash/restore.ts'
import { updateRecord } from '../../src/records/update.ts'
import { upsertRecord } from '../../src/records/upsert.ts'
import type { Scope } from '../../src/scope/scope.ts'
import { ownService } from '../own-service.ts'
import { refusalOf } from '../test-runtime.ts'
import type { TestWorkspace } from '../workspace.ts'
import { counted, left, pausedAt, untilOneWaits } from './two-at-once.ts'

const { companies, people, tasks } = registry
const sent = (body: unknown) => ({ body, asked: { raw: {}, loose: true, issues: [] } })
const own = await ownService()

async function made(scope: Scope, type: ResourceName, body: object): Promise<string> {
  const label = { [registry[type].label]: 'One' }
  return String((await createRecord(scope, registry[type], sent({ ...label, ...body }))).data[0]?.id)
}

async function world(): Promise<{ workspace: TestWorkspace; scope: Scope; winner: string; loser: string }> {
  const workspace = await own.workspace()
  await workspace.field('companies', { name: 'Code', type: 'text', unique: true })
  const scope = await workspace.scope()
  const [winner, loser] = [await made(scope, 'companies', {}), await made(scope, 'companies', {})]
  return { workspace, scope, winner, loser }
}

const code = (value: string | null) => ({ custom_fields: { code: value } })

async function holdersOf({ api }: TestWorkspace, value: string): Promise<string[]> {
  const { body } = await api.get(`/companies?filter[custom_fields][code][$eq]=${value}`)
  return body.data.map((one: { id: string }) => one.id)
}

async function shown({ api }: TestWorkspace, type: ResourceName, id: string, include = '') {
  return (await api.get(`/${type}/${id}${include && `?include=${include}`}`)).body.data
}

describe('A merge', () => {
  it('keeps the links of a task as an update leaves them that comes before it has the task', async () => {
    const { workspace, scope, winner, loser } = await world()
    const task = await made(scope, 'tasks', { company_ids: [loser] })
    const merging = pausedAt(scope, /^insert into links/)
    const merge = mergeRecords(merging.scope, companies, { winner_id: winner, loser_ids: [loser] })
    await merging.reached
    const update = updateRecord(scope, tasks, { id: task, ...sent({ company_ids: [] }) })
    await untilOneWaits(scope, update)
    merging.goOn()
    await Promise.all([merge, update])
    expect((await shown(workspace, 'tasks', task, 'companies')).relationships.companies.data).toEqual([])
  })

  it('takes along a record that is being restored', async () => {
    const { workspace, scope, winner, loser } = await world()
    const person = await made(scope, 'people', { company_id: loser })
    await removeRecord(scope, people, { id: person })
    const end = await left(scope, (inside) => restoreRecord(inside, people, { id: person }))
    const merge = mergeRecords(scope, companies, { winner_id: winner, loser_ids: [loser] })
    await untilOneWaits(scope, merge)
    await end()
    await merge
    expect((await shown(workspace, 'people', person)).attributes.company_id).toBe(winner)
  })

  it('takes along a record that is restored between two of its readings', async () => {
    const { workspace, scope, winner, loser } = await world()
    const person = await made(scope, 'people', { company_id: loser })
    await removeRecord(scope, people, { id: person })
    const merging = pausedAt(scope, /"people".*deleted_at is not null/s)
    const merge = mergeRecords(merging.scope, companies, { winner_id: winner, loser_ids: [loser] })
    await merging.reached
    await restoreRecord(scope, people, { id: person })
    merging.goOn()
    await merge
    expect((await shown(workspace, 'people', person)).attributes.company_id).toBe(winner)
  })

  it('and another one of other records do not wait for each other in a circle, whatever counts they write', async () => {
    const { scope, winner, loser } = await world()
    const others = [await made(scope, 'companies', {}), await made(scope, 'companies', {})]
    const pairs: [string, string][] = [
      [winner, loser],
      [others[0] ?? '', others[1] ?? ''],
    ]
    const merges = pairs.map(([winner_id, loser_id], index) => {
      let slot = index
      const countSlot = () => slot++ % 2
      const paused = pausedAt(
        { ...scope, engine: { ...scope.engine, countSlot } },
        /^\s*update "companies" set deleted_at/,
      )
      const input = { winner_id, loser_ids: [loser_id], attributes: { name: 'Both' } }
      return { ...paused, ended: mergeRecords(paused.scope, companies, input) }
    })
    await Promise.all(merges.map((merge) => merge.reached))
    for (const merge of merges) merge.goOn()
    await Promise.all(merges.map((merge) => merge.ended))
    expect(merges.map((merge) => merge.attempts())).toEqual([1, 1])
  })

  it('and an update that names its winner do not wait for each other in a circle', async () => {
    const { workspace, scope, winner, loser } = await world()
    const person = await made(scope, 'people', { company_id: loser })
    const merging = pausedAt(scope, /^\s*select r\.id, r\.updated_at, r\.deleted_at/)
    const updating = counted(scope)
    const merge = mergeRecords(merging.scope, companies, { winner_id: winner, loser_ids: [loser] })
    await merging.reached
    const update = updateRecord(updating.scope, people, { id: person, ...sent({ name: 'New', company_id: winner }) })
    await untilOneWaits(scope, update)
    merging.goOn()
    await Promise.all([merge, update])
    // The update runs in a group first, which does not wait long for the lock.
    expect(merging.attempts()).toBe(1)
    expect(updating.attempts()).toBeLessThanOrEqual(2)
    expect((await shown(workspace, 'people', person)).attributes).toMatchObject({ name: 'New', company_id: winner })
  })

  it('hands a value on to its winner, where an upsert that waited finds it', async () => {
    const { workspace, scope, winner, loser } = await world()
    await updateRecord(scope, companies, { id: loser, ...sent(code('v')) })
    const match = { field: 'code', value: 'v' }
    const end = await left(scope, (inside) =>
      mergeRecords(inside, companies, { winner_id: winner, loser_ids: [loser] }),
    )
    const upsert = upsertRecord(scope, companies, sent({ match, name: 'Found' }))
    await untilOneWaits(scope, upsert)
    await end()
    expect((await upsert).created).toBe(false)
    expect((await shown(workspace, 'companies', winner)).attributes.name).toBe('Found')
  })

  it('of tasks takes along the links that a merge of companies gives to its loser', async () => {
    const { workspace, scope, winner, loser } = await world()
    const [one, other] = [await made(scope, 'tasks', {}), await made(scope, 'tasks', { company_ids: [loser] })]
    const end = await left(scope, (inside) =>
      mergeRecords(inside, companies, { winner_id: winner, loser_ids: [loser] }),
    )
    const merge = mergeRecords(scope, tasks, { winner_id: one, loser_ids: [other] })
    await untilOneWaits(scope, merge)
    await end()
    await merge
    const linked = (await shown(workspace, 'tasks', one, 'companies')).relationships.companies.data
    expect(linked).toEqual([{ type: 'companies', id: winner }])
  })
})

describe('Undoing a merge', () => {
  it('gives a unique value back to the winner that nobody else can take meanwhile', async () => {
    const { workspace, scope, winner, loser } = await world()
    await updateRecord(scope, companies, { id: winner, ...sent(code('old')) })
    const input = { winner_id: winner, loser_ids: [loser], attributes: code('new') }
    const { merge_id } = await mergeRecords(scope, companies, input)
    const end = await left(scope, (inside) => undoMerge(inside, merge_id))
    const create = workspace.api.post('/companies', { name: 'Taker', ...code('old') })
    await untilOneWaits(scope, create)
    await end()
    expect((await create).status).toBe(422)
    expect(await holdersOf(workspace, 'old')).toEqual([winner])
  })

  it('is refused when the value was taken while it waited', async () => {
    const { workspace, scope, winner, loser } = await world()
    await updateRecord(scope, companies, { id: winner, ...sent(code('old')) })
    const input = { winner_id: winner, loser_ids: [loser], attributes: code('new') }
    const { merge_id } = await mergeRecords(scope, companies, input)
    let taker = ''
    const end = await left(scope, async (inside) => {
      taker = await made(inside, 'companies', code('old'))
    })
    const undo = refusalOf(undoMerge(scope, merge_id))
    await untilOneWaits(scope, undo)
    await end()
    expect((await undo)[0]).toMatch(/^custom_fields\.code: The Code value old is held by the company "One"/)
    expect(await holdersOf(workspace, 'old')).toEqual([taker])
  })

  it('locks a value that the winner lost only while the undo was waiting', async () => {
    const { workspace, scope, winner, loser } = await world()
    await updateRecord(scope, companies, { id: winner, ...sent(code('old')) })
    const input = { winner_id: winner, loser_ids: [loser], attributes: code('new') }
    const { merge_id } = await mergeRecords(scope, companies, input)
    // As long as the value is another one than the merge gave, the undo leaves it.
    await updateRecord(scope, companies, { id: winner, ...sent(code('other')) })
    const undoing = pausedAt(scope, /from companies where .* for update$/s)
    const undo = undoMerge(undoing.scope, merge_id)
    await undoing.reached
    await updateRecord(scope, companies, { id: winner, ...sent(code('new')) })
    undoing.goOn()
    await undo
    expect(undoing.attempts()).toBe(2)
    expect(await holdersOf(workspace, 'old')).toEqual([winner])
  })

  it('is done once, though two ask for it, and though two losers are restored at once', async () => {
    const { workspace, scope, winner, loser } = await world()
    const third = await made(scope, 'companies', {})
    const merge = () => mergeRecords(scope, companies, { winner_id: winner, loser_ids: [loser, third] })
    const { merge_id } = await merge()
    const undos = await Promise.allSettled([undoMerge(scope, merge_id), undoMerge(scope, merge_id)])
    expect(undos.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled'])
    await merge()
    await Promise.all([loser, third].map((id) => restoreRecord(scope, companies, { id })))
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(3)
  })
})

describe('Restoring', () => {
  it('checks the values that the record has once it is locked', async () => {
    const { workspace, scope } = await world()
    const record = await made(scope, 'companies', code('first'))
    await removeRecord(scope, companies, { id: record })
    const reading = pausedAt(scope, /pg_advisory_xact_lock\(n\)/)
    const restore = refusalOf(restoreRecord(reading.scope, companies, { id: record }))
    await reading.reached
    await restoreRecord(scope, companies, { id: record })
    await updateRecord(scope, companies, { id: record, ...sent(code('second')) })
    await removeRecord(scope, companies, { id: record })
    const taker = await made(scope, 'companies', code('second'))
    reading.goOn()
    expect((await restore)[0]).toMatch(/^custom_fields\.code: The Code value second is held by the company "One"/)
    expect(await holdersOf(workspace, 'second')).toEqual([taker])
  })

  it('undoes the merge into which the record has got while it was read', async () => {
    const { workspace, scope, winner } = await world()
    const record = await made(scope, 'companies', code('first'))
    const person = await made(scope, 'people', { company_id: record })
    await removeRecord(scope, companies, { id: record })
    const reading = pausedAt(scope, /pg_advisory_xact_lock\(n\)/)
    const restore = restoreRecord(reading.scope, companies, { id: record })
    await reading.reached
    await restoreRecord(scope, companies, { id: record })
    await mergeRecords(scope, companies, { winner_id: winner, loser_ids: [record] })
    reading.goOn()
    await restore
    expect(await holdersOf(workspace, 'first')).toEqual([record])
    expect((await shown(workspace, 'people', person)).attributes.company_id).toBe(record)
  })
})

describe('Deleting', () => {
  it('a record that is being named waits for that, and leaves it', async () => {
    const { workspace, scope, loser } = await world()
    const end = await left(scope, (inside) => made(inside, 'people', { company_id: loser }))
    const removal = removeRecord(scope, companies, { id: loser })
    await untilOneWaits(scope, removal)
    let removed = false
    void removal.then(() => {
      removed = true
    })
    expect((await workspace.api.get(`/companies/${loser}`)).status).toBe(200)
    expect(removed).toBe(false)
    await end()
    await removal
  })

  it('a record makes an update that names it wait, which is then told that it is gone', async () => {
    const { workspace, scope, loser } = await world()
    const person = await made(scope, 'people', {})
    const end = await left(scope, (inside) => removeRecord(inside, companies, { id: loser }))
    const update = workspace.api.put(`/people/${person}`, { company_id: loser })
    await untilOneWaits(scope, update)
    await end()
    expect(Object.keys((await update).body.errors)).toEqual(['company_id'])
  })

  it('a record and bringing a field back do not wait for each other in a circle', async () => {
    const { workspace, scope: before } = await world()
    const record = await made(before, 'companies', code('first'))
    const address = { entity_type: 'companies', code: 'code' } as const
    await archiveField(before, address)
    const scope = await workspace.scope()
    const removing = pausedAt(scope, /delete from field_values/)
    const removal = removeRecord(removing.scope, companies, { id: record })
    await removing.reached
    const restoring = counted(scope)
    const restore = restoreField(restoring.scope, address)
    await untilOneWaits(scope, restore)
    removing.goOn()
    await Promise.all([removal, restore])
    expect([removing.attempts(), restoring.attempts()]).toEqual([1, 1])
  })
})

/** Whatever meets: it is done or refused, and nothing else happens. */
it('many of them at once end as if one ran after the other', async () => {
  const { workspace, scope, winner, loser } = await world()
  const { api } = workspace
  const until = Date.now() + 4000
  for (let round = 0; round < 25 && Date.now() < until; round++) {
    await updateRecord(scope, companies, { id: winner, ...sent(code('old')) })
    const person = await made(scope, 'people', { company_id: loser })
    const task = await made(scope, 'tasks', { company_ids: [loser] })
    const input = { winner_id: winner, loser_ids: [loser], attributes: code('new') }
    const merged = await Promise.allSettled([
      mergeRecords(scope, companies, input),
      updateRecord(scope, people, { id: person, ...sent({ company_id: winner }) }),
      updateRecord(scope, tasks, { id: task, ...sent({ company_ids: [] }) }),
      removeRecord(scope, people, { id: person }).then(() => restoreRecord(scope, people, { id: person })),
    ])
    expect(failuresIn(merged)).toEqual([])
    expect((await shown(workspace, 'people', person)).attributes.company_id).toBe(winner)
    expect((await shown(workspace, 'tasks', task, 'companies')).relationships.companies.data).toEqual([])
    const [merge] = merged
    const merge_id = merge.status === 'fulfilled' ? merge.value.merge_id : ''
    const parted = await Promise.allSettled([
      undoMerge(scope, merge_id),
      restoreRecord(scope, companies, { id: loser }),
      made(scope, 'companies', code('old')),
      upsertRecord(scope, companies, sent({ match: { field: 'code', value: 'old' }, name: 'Old' })),
    ])
    expect(failuresIn(parted)).toEqual([])
    const holders = await holdersOf(workspace, 'old')
    expect(holders).toHaveLength(1)
    for (const id of holders) if (id !== winner) await removeRecord(scope, companies, { id })
    if ((await api.get(`/companies/${loser}`)).status === 404) await restoreRecord(scope, companies, { id: loser })
    await updateRecord(scope, companies, { id: winner, ...sent(code(null)) })
  }
})

/** What failed for another reason than a refusal of the input. */
function failuresIn(endings: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return endings.flatMap((ending) =>
    ending.status === 'rejected' && !(ending.reason instanceof Refusal) ? [ending.reason] : [],
  )
}
