import { Refusal } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { mergeRecords } from '../../src/records/merge/merge.ts'
import { undoMerge } from '../../src/records/merge/undo-merge.ts'
import { removeRecord, restoreRecord } from '../../src/records/trash/restore.ts'
import { updateRecord, upsertRecord } from '../../src/records/write.ts'
import { archiveField, restoreField } from '../../src/schema/define.ts'
import { ownService } from '../own-service.ts'
import { refusalOf } from '../test-runtime.ts'
import { code, holdersOf, made, raceWorld, sent, shown } from './race-world.ts'
import { counted, left, pausedAt, untilOneWaits } from './two-at-once.ts'

const { companies, people, tasks } = registry
const own = await ownService()
const world = () => raceWorld(own)

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
  it('a record that another write refers to waits for that write, and keeps the reference', async () => {
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

  it('a record makes an update that refers to it wait, which then fails because it is deleted', async () => {
    const { workspace, scope, loser } = await world()
    const person = await made(scope, 'people', {})
    const end = await left(scope, (inside) => removeRecord(inside, companies, { id: loser }))
    const update = workspace.api.put(`/people/${person}`, { company_id: loser })
    await untilOneWaits(scope, update)
    await end()
    expect(Object.keys((await update).body.errors)).toEqual(['company_id'])
  })

  it('a record and bringing a field back never deadlock', async () => {
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
    // The definition, and the words of the records: neither is tried again.
    expect([removing.attempts(), restoring.attempts()]).toEqual([1, 2])
  })
})

/** Every operation succeeds or is refused. */
it('many at once end as if they ran one after the other', async () => {
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
    const unmerged = await Promise.allSettled([
      undoMerge(scope, merge_id),
      restoreRecord(scope, companies, { id: loser }),
      made(scope, 'companies', code('old')),
      upsertRecord(scope, companies, sent({ match: { field: 'code', value: 'old' }, name: 'Old' })),
    ])
    expect(failuresIn(unmerged)).toEqual([])
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
