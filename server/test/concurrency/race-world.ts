import { abilities } from '@kith/contract/abilities'
import { parseRecordInput } from '@kith/contract/record-input'
import { registry } from '@kith/contract/registry'
import { resourceIn } from '@kith/contract/resource'
import { addMember } from '../../src/accounts/members.ts'
import { createToken } from '../../src/accounts/tokens.ts'
import { enterAsMember } from '../../src/accounts/workspace.ts'
import { runOperations } from '../../src/batch/run-operations.ts'
import { withSchema } from '../../src/fields/definitions.ts'
import { addComment, removeComment } from '../../src/records/comments/comments.ts'
import { mergeRecords } from '../../src/records/merge/merge.ts'
import { storeWrites } from '../../src/records/store.ts'
import { replaceRepeat } from '../../src/records/tasks/task-plan.ts'
import { removeRecord } from '../../src/records/trash/restore.ts'
import { newRecord } from '../../src/records/write-set.ts'
import { createField } from '../../src/schema/define.ts'
import { createResource } from '../../src/schema/own-resources.ts'
import { inTransaction, type Scope } from '../../src/scope/scope.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { loadFieldsVersion } from '../../src/storage/engines/transactions.ts'
import { repeatTable } from '../../src/storage/tables/task-plans.ts'
import type { EveryName } from '../own-resource.ts'
import { type Call, callerOf } from './caller.ts'
import { type Ground, openGround, type Place } from './place.ts'

/** Records, fields and people that are related in every way that the operations of a race need. Each has a name. */
export type World = Ground & {
  place: Place
  call: Call
  /** The id of each thing by its name. */
  ids: Readonly<Record<string, string>>
  /** A token of the second member, who has the role `member`. */
  workerToken: string
  /** How many entries the audit log held, and when each record was last changed, before the race. */
  before: { audited: ReadonlySet<string>; times: ReadonlyMap<string, string> }
}

type Ids = Record<string, string>

/** Always the same world, in a workspace of its own. */
export async function openWorld(place: Place): Promise<World> {
  const ground = await openGround(place)
  const ids: Ids = { worker: place.worker.id, owner: place.owner.id }
  const { options } = await createField(ground.scope, 'companies', tierField)
  await createField(ground.scope, 'companies', { name: 'Code', type: 'text' })
  await makeReferences(ground.scope)
  Object.assign(ids, { gold: options[0]?.id, silver: options[1]?.id })
  const { workspace } = ground.scope
  // The fields have moved the version that the scope was made with.
  const fields_version = await loadFieldsVersion(place.runtime.engine.db, workspace.id)
  const scope = await withSchema({ ...ground.scope, workspace: { ...workspace, fields_version } })
  await inTransaction(scope, async (inside) => {
    await addCompanies(inside, ids)
    await addOthers(inside, ids)
    await addComments(inside, ids)
    await removeRecord(inside, registry.companies, { id: ids.gone ?? '' })
    await mergeSome(inside, ids)
    await changeSome(inside, ids)
    await repeatSome(inside, ids)
  })
  await findRemovals(scope, ids)
  await addMember(scope, { email: place.worker.email, role: 'member' })
  const worker = await enterAsMember(place.runtime, ground.slug, place.worker.email)
  const workerToken = await createToken(worker, { name: 'worker', abilities, expires: 'never' })
  ids.worker_token = workerToken.id
  const call = callerOf(place, ground.slug)
  return { ...ground, place, call, ids, workerToken: workerToken.token, before: await loadBefore(scope) }
}

/** A list of companies on people, a parent on companies, and projects with an account. */
async function makeReferences(scope: Scope): Promise<void> {
  const companies = { type: 'record', target: 'companies' }
  await createField(scope, 'people', { name: 'Firms', ...companies, multiple: true })
  await createField(scope, 'companies', { name: 'Parent', ...companies })
  await createResource(scope, { input: { name: 'Projects', singular: 'Project' }, issues: [] })
  await createField(scope, 'projects', { name: 'Account', ...companies, inverse: { name: 'Projects' } })
}

const tierField = { name: 'Tier', type: 'select', options: ['Gold', 'Silver'] }

async function addCompanies(inside: Scope, ids: Ids): Promise<void> {
  const company = (name: string, custom_fields: object = {}) =>
    add(inside, ids, 'companies', name, { custom_fields: { domains: [`${name}.example`], ...custom_fields } })
  // They are sent to the database together.
  await Promise.all([
    company('winner'),
    company('loser', { tier: 'Gold', code: 'loser', linkedin: ['linkedin.com/company/loser'] }),
    company('other'),
    company('east'),
    company('west', { code: 'west', linkedin: ['linkedin.com/company/west'] }),
    company('gone', { tier: 'Gold' }),
    company('kept'),
    company('merged', { code: 'merged' }),
  ])
  await company('branch', { parent: [ids.loser] })
}

async function addOthers(inside: Scope, ids: Ids): Promise<void> {
  const { loser, winner, other, west, merged } = ids
  await Promise.all([
    // It is moved later.
    add(inside, ids, 'people', 'person', { company_id: winner, custom_fields: { firms: [other, loser] } }),
    add(inside, ids, 'people', 'twin', { company_id: winner, custom_fields: { firms: [winner, loser] } }),
    add(inside, ids, 'people', 'westerner', { company_id: west }),
    add(inside, ids, 'people', 'moved', { company_id: merged, custom_fields: { firms: [merged] } }),
    add(inside, ids, 'people', 'absent', { company_id: loser, custom_fields: { firms: [loser] } }),
    add(inside, ids, 'projects', 'project', { custom_fields: { account: loser } }),
    add(inside, ids, 'projects', 'moved project', { custom_fields: { account: merged } }),
  ])
  await Promise.all([
    removeRecord(inside, registry.people, { id: ids.absent ?? '' }),
    add(inside, ids, 'opportunities', 'deal', { company_id: loser, contact_id: ids.person }),
    add(inside, ids, 'opportunities', 'western deal', { company_id: west }),
    add(inside, ids, 'tasks', 'task', { company_ids: [loser], people_ids: [ids.person] }),
    add(inside, ids, 'tasks', 'twin task', { company_ids: [other] }),
    add(inside, ids, 'tasks', 'western task', { company_ids: [west] }),
    add(inside, ids, 'tasks', 'moved task', { company_ids: [merged] }),
    add(inside, ids, 'tasks', 'finished task', {}),
    add(inside, ids, 'notes', 'note', { company_ids: [winner, loser] }),
    add(inside, ids, 'notes', 'western note', { company_ids: [west] }),
  ])
}

/** `answer` is a reply to `remark`, and `dropped` is deleted. `moved remark` is moved by the merge. */
async function addComments(inside: Scope, ids: Ids): Promise<void> {
  const say = async (name: string, id = '', reply_to?: string) => {
    const comment = await addComment(inside, registry.companies, { id, body: { body: name, reply_to }, issues: [] })
    ids[name] = comment.id
  }
  await say('remark', ids.loser)
  await say('answer', ids.loser, ids.remark)
  await say('dropped', ids.loser)
  await say('lost', ids.gone)
  await say('moved remark', ids.merged)
  await removeComment(inside, ids.dropped ?? '', [])
}

/** `kept` gave up its own domain for the one of `merged`. Undoing the merge gives it back. */
async function mergeSome(inside: Scope, ids: Ids): Promise<void> {
  const { merge_id } = await mergeRecords(inside, registry.companies, {
    winner_id: ids.kept,
    loser_ids: [ids.merged],
    attributes: { custom_fields: { domains: ['merged.example'] } },
  })
  ids.merge = merge_id
}

/** Changes that can be undone, besides the creations, the deletion and the merge. */
async function changeSome(inside: Scope, ids: Ids): Promise<void> {
  const { winner, person, task, loser } = ids
  const change = async (resource: EveryName, id: string | undefined, data: object) => {
    const [done] = await runOperations(inside, [{ op: 'update', resource, id, data }])
    return done && 'change_id' in done ? done.change_id : undefined
  }
  Object.assign(ids, {
    tiering: await change('companies', winner, { custom_fields: { tier: 'Silver' } }),
    move: await change('people', person, { company_id: loser }),
    linking: await change('tasks', task, { company_ids: { $add: [winner] } }),
  })
}

/** `task` repeats, and so does `finished task`, which is completed: `following task` came after it. */
async function repeatSome(inside: Scope, ids: Ids): Promise<void> {
  for (const name of ['task', 'finished task']) await replaceRepeat(inside, ids[name] ?? '', { unit: 'day' })
  const data = { custom_fields: { status: 'Done' } }
  await runOperations(inside, [{ op: 'update', resource: 'tasks', id: ids['finished task'], data }])
  const [following] = await repeatTable.load(inside, { previous_id: ids['finished task'] ?? '' }, 'record_id')
  ids['following task'] = following?.record_id ?? ''
}

/** The deletion and the merge. A transaction writes its entries when it ends. */
async function findRemovals({ engine, workspace }: Scope, ids: Ids): Promise<void> {
  const rows = await sql<{ id: string; action: string }>`select id, action from audit_log
    where workspace_id = ${workspace.id} and resource = 'companies'
    and record_id in (${ids.gone}, ${ids.merged})`.all(engine.db)
  for (const { id, action } of rows) ids[action === 'delete' ? 'removal' : 'merging'] = id
}

async function add(inside: Scope, ids: Ids, type: EveryName, ...[name, body]: [string, object]): Promise<void> {
  const resource = resourceIn(inside.schema, type)
  const raw = { [resource.label]: name, ...body }
  const input = parseRecordInput(raw, { resource, creating: true }, (path, message) => {
    throw new Error(`${path}: ${message}`)
  })
  const record = newRecord(inside, input)
  await storeWrites(inside, resource, [record])
  ids[name] = record.id
}

async function loadBefore({ engine, workspace }: Scope): Promise<World['before']> {
  const audited = await sql<{ id: string }>`
    select id from audit_log where workspace_id = ${workspace.id}`.all(engine.db)
  const times = new Map<string, string>()
  const records = await sql<{ id: string; updated_at: string }>`
    select id, updated_at from records where workspace = ${workspace.number}`.all(engine.db)
  for (const { id, updated_at } of records) times.set(id, updated_at)
  return { audited: new Set(audited.map(({ id }) => id)), times }
}
