import { readFileSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { estimateTokens } from '../../../src/mcp/record-text.ts'
import { madeResource } from '../../own-resource.ts'
import { gone, made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const CALLS_MAX = 10
const TOKENS_MAX = 6000

// Tests look into answers of every shape; what they expect, they assert.
// biome-ignore lint/suspicious/noExplicitAny: see above.
type Call = (name: string, input?: Record<string, unknown>) => Promise<any>

let workspace: TestWorkspace
let client: Client
const day = 86_400_000
const at = (days: number) => new Date(Date.now() + days * day).toISOString()

beforeAll(async () => {
  workspace = await newWorkspace()
  client = new Client({ name: 'agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: { Authorization: `Bearer ${workspace.api.token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${inject('service').url}/mcp`), { requestInit }))
})

afterAll(() => client.close())

/** What an agent is asked for, and how it does that with tool calls alone. */
const tasks: Readonly<Record<string, (call: Call) => Promise<void>>> = {
  "Reassign a colleague's accounts": async (call) => {
    const [from, to] = [await workspace.member('member'), await workspace.member('member')]
    for (const name of ['North', 'East', 'South']) await made(workspace.api, 'companies', owned(name, from.id))
    const found = await call('list_members', { query: from.email })
    const heir = await call('list_members', { query: to.email })
    const owner = { accountOwner: { $in: [found.data[0].id] } }
    const { data } = await call('list_records', {
      resource: 'companies',
      filter: owner,
      fields: ['name'],
      per_page: 100,
    })
    const operations = data.map(({ id }: { id: string }) => {
      return { op: 'update', resource: 'companies', id, data: { account_owner_id: heir.data[0].id } }
    })
    expect((await call('batch_records', { operations })).meta).toMatchObject({ succeeded: 3, failed: 0 })
    expect((await workspace.api.get(`/companies?filter[accountOwner][$in]=${to.id}`)).body.meta.total).toBe(3)
  },
  'Import 40 leads without duplicates': async (call) => {
    const known = await made(workspace.api, 'people', person('Lead 7', 'lead7@leads.example'))
    const operations = Array.from({ length: 40 }, (_, index) => ({
      op: 'upsert',
      resource: 'people',
      match: { field: 'emails', value: `lead${index}@leads.example` },
      data: { name: `Lead ${index}`, custom_fields: { job_title: 'Buyer' } },
    }))
    await call('describe_resource', { resource: 'people' })
    const { data, meta } = await call('batch_records', { operations })
    expect([meta.succeeded, data[7].id, data[7].created]).toEqual([40, known.id, false])
    const counted = await call('summarize', {
      resource: 'people',
      measure: 'count',
      filter: { custom_fields: { emails: { domain: { $in: ['leads.example'] } } } },
    })
    expect(counted.data[0].count).toBe(40)
  },
  'Find gold contacts not touched for 60 days': async (call) => {
    await workspace.field('people', { name: 'Tier', type: 'select', options: ['Gold', 'Silver'] })
    const gold = { custom_fields: { tier: 'Gold' } }
    const quiet = await made(workspace.api, 'people', { name: 'Quiet', ...gold })
    const busy = await made(workspace.api, 'people', { name: 'Busy', ...gold })
    await made(workspace.api, 'notes', { title: 'A call', people_ids: [busy.id] })
    await call('describe_resource', { resource: 'people' })
    const lately = { created_at: { $gte: at(-60) } }
    const filter = {
      custom_fields: { tier: { $eq: 'Gold' } },
      $not: { $or: [{ notes: lately }, { tasks: lately }] },
    }
    const { data } = await call('list_records', { resource: 'people', filter, fields: ['name', 'updated_at'] })
    expect(data.map(({ id }: { id: string }) => id)).toEqual([quiet.id])
  },
  'Tell what was deleted today, and by whom': async (call) => {
    const { id } = await made(workspace.api, 'companies', { name: 'Deleted Today' })
    await gone(workspace.api, 'companies', id)
    const { data } = await call('list_trash')
    expect(data[0]).toMatchObject({ id, name: 'Deleted Today', deleted_by: { name: workspace.owner.name } })
  },
  'Restore a company that was deleted by mistake': async (call) => {
    const { id } = await made(workspace.api, 'companies', { name: 'Mistake' })
    await gone(workspace.api, 'companies', id)
    const { data } = await call('list_trash', { resource: 'companies', per_page: 10 })
    const found = data.find(({ name }: { name: string }) => name === 'Mistake')
    await call('restore_record', { resource: 'companies', id: found.id })
    expect((await workspace.api.get(`/companies/${id}`)).status).toBe(200)
  },
  'Merge duplicates': async (call) => {
    const [one, two] = [
      await made(workspace.api, 'companies', { name: 'Müller GmbH', custom_fields: { domains: 'mueller.example' } }),
      await made(workspace.api, 'companies', { name: 'Muller', custom_fields: { icp: true } }),
    ]
    const { data } = await call('find_duplicates', { resource: 'companies', certainty: 'likely' })
    const ids: string[] = data[0].records.map(({ id }: { id: string }) => id)
    await call('list_records', { resource: 'companies', filter: { id: { $in: ids } } })
    const merged = await call('merge_records', { resource: 'companies', winner_id: ids[0], loser_ids: ids.slice(1) })
    expect([ids.sort(), merged.data.attributes.custom_fields.icp]).toEqual([[one.id, two.id].sort(), true])
  },
  'Sum up the pipeline of this quarter': async (call) => {
    const close_date = at(1).slice(0, 10)
    for (const amount of [1000, 2500]) {
      await made(workspace.api, 'opportunities', {
        name: 'Deal',
        custom_fields: { amount, stage: 'Proposal', close_date },
      })
    }
    await call('describe_resource', { resource: 'opportunities' })
    const filter = { custom_fields: { close_date: { $gte: at(-45).slice(0, 10), $lte: at(45).slice(0, 10) } } }
    const sum = { resource: 'opportunities', measure: 'sum', field: 'amount', group_by: ['stage'], filter }
    const { data } = await call('summarize', sum)
    const proposal = expect.objectContaining({ label: 'Proposal' })
    expect(data).toContainEqual({ keys: [proposal], value: 3500, count: 2 })
  },
  'List my overdue tasks': async (call) => {
    const assignee_ids = [workspace.owner.id]
    await made(workspace.api, 'tasks', { title: 'Late', assignee_ids, custom_fields: { due_date: at(-2) } })
    await made(workspace.api, 'tasks', { title: 'Later', assignee_ids, custom_fields: { due_date: at(2) } })
    await call('describe_resource', { resource: 'tasks' })
    const filter = { assigned_to_me: { $eq: true }, custom_fields: { due_date: { $lt: at(0) } } }
    const { data } = await call('list_records', { resource: 'tasks', filter, include: ['companies', 'people'] })
    expect(data.map((one: { attributes: { title: string } }) => one.attributes.title)).toEqual(['Late'])
  },
  'Prepare a meeting with a company': async (call) => {
    const { id } = await made(workspace.api, 'companies', { name: 'Meeting Partner' })
    await made(workspace.api, 'people', { name: 'Ada Partner', company_id: id })
    await made(workspace.api, 'notes', { title: 'Wants a discount', company_ids: [id] })
    const { results } = await call('search', { query: 'Meeting Partner' })
    const { text } = await call('fetch', { id: results[0].id })
    for (const known of ['Ada Partner', 'Wants a discount']) expect(text).toContain(known)
  },
  'Add an email address to a contact': async (call) => {
    const { id } = await made(workspace.api, 'people', person('Two Addresses', 'work@two.example'))
    const { results } = await call('search', { query: 'work@two.example' })
    const add = { custom_fields: { emails: ['home@two.example', 'WORK@two.example'] } }
    await call('update_record', { resource: 'people', id: results[0].record_id, add })
    const { body } = await workspace.api.get(`/people/${id}`)
    expect(body.data.attributes.custom_fields.emails).toEqual(['work@two.example', 'home@two.example'])
  },
  'Log a call and plan the next one': async (call) => {
    const { id } = await made(workspace.api, 'people', person('Called', 'called@log.example'))
    const { results } = await call('search', { query: 'called@log.example' })
    const people_ids = [results[0].record_id]
    await call('describe_resource', { resource: 'tasks' })
    const { meta } = await call('batch_records', {
      operations: [
        { op: 'create', resource: 'notes', data: { title: 'Call', people_ids, custom_fields: { body: 'Agreed.' } } },
        {
          op: 'create',
          resource: 'tasks',
          data: { title: 'Call back', people_ids, custom_fields: { due_date: at(7) } },
        },
      ],
    })
    expect(meta.succeeded).toBe(2)
    expect((await workspace.api.get(`/people/${id}?include=notesCount,tasksCount`)).status).toBe(200)
  },
  'Plan the projects of a customer': async (call) => {
    await madeResource(workspace, { name: 'Projects', singular: 'Project' })
    const inverse = { name: 'Projects' }
    await workspace.field('projects', { name: 'Customer', type: 'record', target: 'companies', inverse })
    await workspace.field('projects', { name: 'Lead', type: 'member' })
    await made(workspace.api, 'companies', { name: 'Customer', custom_fields: { domains: 'customer.example' } })
    await call('describe_resource', { resource: 'projects' })
    const customer = { match: { field: 'domains', value: 'customer.example' } }
    const operations = ['Discovery', 'Delivery'].map((name) => ({
      ...{ op: 'create', resource: 'projects' },
      data: { name, custom_fields: { customer, lead: { email: workspace.owner.email } } },
    }))
    expect((await call('batch_records', { operations })).meta.succeeded).toBe(2)
    const filter = { custom_fields: { customer: { name: { $eq: 'Customer' } }, lead: { $in: ['me'] } } }
    expect((await call('list_records', { resource: 'projects', filter, fields: ['name'] })).total).toBe(2)
  },
  'Take back the last two changes': async (call) => {
    const { id } = await made(workspace.api, 'companies', { name: 'Before' })
    for (const name of ['Wrong', 'Worse']) {
      await call('update_record', { resource: 'companies', id, attributes: { name }, fields: ['name'] })
    }
    const { data } = await call('list_changes', { own: true, limit: 2 })
    const ids = data.map((change: { id: string }) => change.id)
    await call('undo_changes', { ids, dry_run: false })
    expect((await workspace.api.get(`/companies/${id}`)).body.data.attributes.name).toBe('Before')
  },
  'Tell what a colleague changed today': async (call) => {
    const user = await workspace.member('member')
    const theirs = await workspace.token({ user })
    await theirs.post('/companies', { name: 'Theirs' })
    const { data } = await call('list_changes', { actor: user.email, since: at(-1) })
    expect(data[0].attributes).toMatchObject({ kind: 'created', record: { attributes: { name: 'Theirs' } } })
  },
  'Catch up on a customer': async (call) => {
    const { id } = await made(workspace.api, 'companies', { name: 'Catching Up' })
    await made(workspace.api, 'tasks', { title: 'Send the offer', company_ids: [id] })
    await workspace.api.post(`/companies/${id}/comments`, { body: 'They want a discount.' })
    const { results } = await call('search', { query: 'Catching Up' })
    const { data } = await call('get_timeline', { resource: 'companies', id: results[0].record_id })
    expect(data.map(({ kind }: { kind: string }) => kind)).toEqual(['comments', 'tasks', 'changes'])
  },
  'Find out who changed the amount of a deal': async (call) => {
    const { id } = await made(workspace.api, 'opportunities', { name: 'Changed Deal', custom_fields: { amount: 10 } })
    await workspace.api.patch(`/opportunities/${id}`, { custom_fields: { amount: 20 } })
    const { results } = await call('search', { query: 'Changed Deal' })
    const asked = { resource: 'opportunities', id: results[0].record_id, field: 'custom_fields.amount' }
    const { data } = await call('record_history', asked)
    expect(data[0]).toMatchObject({ actor_name: workspace.owner.name, changes: [{ before: 10, after: 20 }] })
  },
}

it.each(Object.keys(tasks))('%s', async (name) => {
  const spent = { calls: 0, tokens: 0 }
  await tasks[name]?.(async (tool, input = {}) => {
    const answer = await client.callTool({ name: tool, arguments: input })
    const [content] = answer.content
    const text = content?.type === 'text' ? content.text : ''
    expect(answer.isError, text).not.toBe(true)
    spent.calls += 1
    spent.tokens += estimateTokens(JSON.stringify({ tool, input }) + text)
    return answer.structuredContent
  })
  expect(spent.calls).toBeLessThanOrEqual(CALLS_MAX)
  expect(spent.tokens).toBeLessThanOrEqual(TOKENS_MAX)
  // The page says how many tokens it costs at most.
  const [, calls, tokens] = documented.get(name) ?? []
  expect(
    { calls: spent.calls, fits: spent.tokens <= Number(tokens?.replace(',', '')) },
    `${spent.tokens} tokens`,
  ).toEqual({
    calls: Number(calls),
    fits: true,
  })
})

const page = readFileSync(new URL('../../../../docs/integrate/mcp.md', import.meta.url), 'utf8')
/** Rows: the task, its calls and its tokens. */
const documented = new Map(
  [...page.matchAll(/^\| ([A-Z][^|]*) \| (\d+) \| ([\d,]+) \|$/gm)].map(
    ([, name = '', calls = '', tokens = '']) => [name, [name, calls, tokens]] as const,
  ),
)

function owned(name: string, account_owner_id: string) {
  return { name, account_owner_id }
}

function person(name: string, email: string) {
  return { name, custom_fields: { emails: [email] } }
}
