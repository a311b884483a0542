import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { mergeRecords } from '../../src/records/merge/merge.ts'
import { undoMerge } from '../../src/records/merge/undo-merge.ts'
import { removeRecord, restoreRecord } from '../../src/records/trash/restore.ts'
import { updateRecord, upsertRecord } from '../../src/records/write.ts'
import { ownService } from '../own-service.ts'
import { refusalOf } from '../test-runtime.ts'
import { code, holdersOf, made, raceWorld, sent, shown } from './race-world.ts'
import { counted, left, pausedAt, untilOneWaits } from './two-at-once.ts'

const { companies, people, tasks } = registry
const own = await ownService()
const world = () => raceWorld(own)

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

  it('includes a record that is being restored', async () => {
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

  it('includes a record that is restored between two of its reads', async () => {
    const { workspace, scope, winner, loser } = await world()
    const person = await made(scope, 'people', { company_id: loser })
    await removeRecord(scope, people, { id: person })
    const merging = pausedAt(scope, /"resource" = 2.*deleted_at is not null/s)
    const merge = mergeRecords(merging.scope, companies, { winner_id: winner, loser_ids: [loser] })
    await merging.reached
    await restoreRecord(scope, people, { id: person })
    merging.goOn()
    await merge
    expect((await shown(workspace, 'people', person)).attributes.company_id).toBe(winner)
  })

  it('and another one of other records never deadlock, whatever counts they write', async () => {
    const { scope, winner, loser } = await world()
    const others = [await made(scope, 'companies', {}), await made(scope, 'companies', {})]
    const pairs: [string, string][] = [
      [winner, loser],
      [others[0] ?? '', others[1] ?? ''],
    ]
    const merges = pairs.map(([winner_id, loser_id], index) => {
      let slot = index
      const countSlot = () => slot++ % 2
      const paused = pausedAt({ ...scope, engine: { ...scope.engine, countSlot } }, /^\s*update records set deleted_at/)
      const input = { winner_id, loser_ids: [loser_id], attributes: { name: 'Both' } }
      return { ...paused, ended: mergeRecords(paused.scope, companies, input) }
    })
    await Promise.all(merges.map((merge) => merge.reached))
    for (const merge of merges) merge.goOn()
    await Promise.all(merges.map((merge) => merge.ended))
    expect(merges.map((merge) => merge.attempts())).toEqual([1, 1])
  })

  it('and an update that names its winner never deadlock', async () => {
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

  it('of tasks includes the links that a merge of companies gives to its loser', async () => {
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
  it('gives a unique value back to the winner, and no other record can take it meanwhile', async () => {
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
    const undoing = pausedAt(scope, /from records x where .* for update$/s)
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
