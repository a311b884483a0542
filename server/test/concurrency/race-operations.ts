import type { Answered } from '../api.ts'
import type { Method } from './caller.ts'
import { imports } from './race-imports.ts'
import type { World } from './race-world.ts'

/** Which process is asked, and who asks: the two sides of a race write different names. */
export type Side = { node: number; by: string }

/** Something that is done to a world. Two operations race when they touch the same thing. */
export type Operation = { name: string; touches: readonly string[]; run(world: World, side: Side): Promise<Answered> }

type Body = (ids: World['ids'], by: string) => unknown

/** `:name` in a path means the id of that thing. */
function rest(method: Method, path: string, touches: string, body?: Body): Operation {
  return operation(`${method} ${path}`, touches, (world, side) =>
    sent(world, side, { method, path, body }, world.token),
  )
}

function app(method: Method, path: string, touches: string, body?: Body): Operation {
  return operation(`${method} ${path}`, touches, (world, side) => sent(world, side, { method, path, body }))
}

function operation(name: string, touches: string, run: Operation['run']): Operation {
  return { name: `${name} (${touches})`, touches: touches.split(', '), run }
}

type Template = { method: Method; path: string; body?: Body | undefined }

function sent({ call, ids }: World, { node, by }: Side, { method, path, body }: Template, token?: string) {
  const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => ids[name.replaceAll('_', ' ')] ?? ids[name] ?? name)
  return call({ node, method, path: filled, body: body?.(ids, by), ...(token === undefined ? {} : { token }) })
}

const domain = (...domains: string[]) => ({ custom_fields: { domains } })

const creates = [
  rest('POST', '/people', 'winner', ({ winner }, by) => ({ name: by, company_id: winner })),
  rest('POST', '/opportunities', 'loser, person', ({ loser, person }, by) => ({
    name: by,
    company_id: loser,
    contact_id: person,
  })),
  rest('POST', '/tasks', 'loser, winner', ({ loser, winner }, by) => ({ title: by, company_ids: [loser, winner] })),
  rest('POST', '/companies', 'kept.example', (_, by) => ({ name: by, ...domain('kept.example') })),
  rest('POST', '/companies', 'gone.example', (_, by) => ({ name: by, ...domain('gone.example') })),
  rest('POST', '/companies', 'loser.example', (_, by) => ({ name: by, ...domain('loser.example') })),
  rest('POST', '/companies', 'code', (_, by) => ({ name: by, custom_fields: { code: 'loser' } })),
  rest('POST', '/companies', 'tier', (_, by) => ({ name: by, custom_fields: { tier: 'Gold' } })),
  rest('POST', '/people', 'firms, winner, loser', ({ winner, loser }, by) => ({
    name: by,
    custom_fields: { firms: [loser, winner] },
  })),
  rest('POST', '/people', 'missing.example, gone.example', (_, by) => ({
    name: by,
    company_id: { match: { field: 'domains', value: 'missing.example' }, create: { name: 'Missing' } },
    custom_fields: { firms: [{ match: { field: 'domains', value: 'gone.example' }, create: { name: 'Gone' } }] },
  })),
  rest('POST', '/projects', 'projects, loser', ({ loser }, by) => ({ name: by, custom_fields: { account: loser } })),
]

const updates = [
  rest('PATCH', '/companies/:winner', 'winner', (_, by) => ({ name: by, custom_fields: { code: by } })),
  rest('PUT', '/companies/:loser', 'loser', (_, by) => ({ name: by, custom_fields: { linkedin: [] } })),
  rest('PATCH', '/companies/:kept', 'kept', (_, by) => ({ name: by })),
  rest('PATCH', '/companies/:kept', 'kept, kept.example', () => domain('kept.example')),
  rest('PATCH', '/companies/:other', 'kept.example, gone.example', () => domain('kept.example', 'gone.example')),
  rest('PATCH', '/companies/:winner', 'winner, tier', () => ({ custom_fields: { tier: 'Gold' } })),
  rest('PATCH', '/people/:person', 'person, winner, loser', ({ winner }) => ({ company_id: winner })),
  rest('PATCH', '/people/:person', 'person, loser', () => ({ company_id: null })),
  rest('PATCH', '/people/:moved', 'moved, kept', () => ({ company_id: null })),
  rest('PATCH', '/opportunities/:deal', 'deal, winner, person', ({ winner, twin }) => ({
    company_id: winner,
    contact_id: twin,
  })),
  rest('PUT', '/tasks/:task', 'task, loser', () => ({ company_ids: [] })),
  rest('PUT', '/tasks/:task', 'task, winner, loser', ({ winner, other }) => ({ company_ids: [winner, other] })),
  rest('PUT', '/tasks/:moved_task', 'moved, kept', () => ({ company_ids: [] })),
  rest('PATCH', '/people/:person', 'person, firms, winner, loser', ({ winner, loser }) => ({
    custom_fields: { firms: [winner, loser] },
  })),
  rest('PATCH', '/people/:person', 'person, firms', ({ winner, other }) => ({
    custom_fields: { firms: { $add: [winner], $remove: [other] } },
  })),
  rest('PATCH', '/people/:moved', 'moved, firms, kept', ({ kept, other }) => ({
    custom_fields: { firms: [kept, other] },
  })),
  rest('PATCH', '/companies/:winner', 'winner, loser', ({ loser }) => ({ custom_fields: { parent: loser } })),
  rest('PATCH', '/projects/:project', 'projects, winner', ({ winner }) => ({ custom_fields: { account: winner } })),
]

/** The task repeats. */
const completions = [
  rest('PATCH', '/tasks/:task', 'task, loser, winner, person', () => ({ custom_fields: { status: 'Done' } })),
  rest('PATCH', '/tasks/:finished_task', 'following', () => ({ custom_fields: { status: 'To do' } })),
  rest('PATCH', '/tasks/:following_task', 'following', (_, by) => ({ title: by, custom_fields: { status: 'Done' } })),
  app('DELETE', '/tasks/:task/repeat', 'task'),
  app('PUT', '/tasks/:following_task/repeat', 'following', () => ({ unit: 'week' })),
]

/** The second names the records in the other order. */
const batches = [
  rest('POST', '/batch', 'winner, loser', ({ winner, loser }, by) => ({
    atomic: true,
    operations: [winner, loser].map((id) => renaming(id, by)),
  })),
  rest('POST', '/companies/batch', 'winner, loser', ({ winner, loser }, by) => ({
    operations: [loser, winner].map((id) => ({ op: 'update', id, data: { name: by } })),
  })),
]

function renaming(id: string | undefined, name: string) {
  return { op: 'update', resource: 'companies', id, data: { name } }
}

const removals = [
  rest('DELETE', '/companies/:winner', 'winner'),
  rest('DELETE', '/companies/:loser', 'loser'),
  rest('DELETE', '/companies/:kept', 'kept'),
  rest('DELETE', '/people/:person', 'person, loser'),
  rest('DELETE', '/tasks/:task', 'task, loser'),
]

const upserts = ['kept.example', 'gone.example', 'loser.example'].map((value) =>
  rest('POST', '/companies/upsert', value === 'loser.example' ? `${value}, loser` : value, (_, by) => ({
    match: { field: 'domains', value },
    name: by,
  })),
)

const returns = [
  app('PUT', '/v1/people/:absent/restore', 'absent, loser'),
  rest('PUT', '/companies/:gone/restore', 'gone.example, tier'),
  app('PUT', '/v1/companies/:merged/restore', 'kept, moved, kept.example, merge'),
  rest('PUT', '/merges/:merge/undo', 'kept, moved, kept.example, merge'),
]

const undos = [
  rest('PUT', '/changes/:winner/undo', 'winner'),
  rest('PUT', '/changes/:person/undo', 'person, loser', () => ({ force: true })),
  rest('PUT', '/changes/:tiering/undo', 'winner, tier'),
  rest('PUT', '/changes/:move/undo', 'person, winner, loser'),
  rest('PUT', '/changes/:linking/undo', 'task, loser, winner'),
  rest('PUT', '/changes/:removal/undo', 'gone.example, tier'),
  rest('PUT', '/changes/:merging/undo', 'kept, moved, kept.example, merge'),
  rest('POST', '/changes/undo', 'winner, person, loser, task, tier', ({ tiering, move, linking }) => ({
    ids: [tiering, move, linking],
  })),
]

const said: Body = (_, by) => ({ body: by })

const comments = [
  rest('POST', '/companies/:winner/comments', 'winner', said),
  rest('POST', '/companies/:loser/comments', 'loser, remark', ({ remark }, by) => ({ body: by, reply_to: remark })),
  rest('POST', '/companies/:gone/comments', 'gone.example', said),
  rest('POST', '/companies/:kept/comments', 'kept, moved, merge', (ids, by) => ({
    body: by,
    reply_to: ids['moved remark'],
  })),
  rest('POST', '/projects/:project/comments', 'projects', said),
  rest('PUT', '/comments/:remark', 'remark, loser', said),
  rest('PATCH', '/comments/:moved_remark', 'kept, moved, merge', said),
  rest('DELETE', '/comments/:remark', 'remark, loser'),
  rest('PUT', '/comments/:dropped/restore', 'remark, loser'),
  rest('PUT', '/changes/:remark/undo', 'remark, loser'),
]

const follows = [
  rest('PUT', '/companies/:winner/follow', 'winner, merge'),
  rest('DELETE', '/companies/:loser/follow', 'loser, merge'),
  rest('PUT', '/notifications/read', 'winner', () => ({ until: '2030-01-01' })),
]

function merge(resource: string, winner: string, loser: string, touches: string): Operation {
  return operation(`merge ${loser} into ${winner}`, touches, (world, side) => {
    const body: Body = (ids) => ({ loser_ids: [ids[loser]] })
    const path = `/${resource}/:${winner.replaceAll(' ', '_')}/merge`
    return sent(world, side, { method: 'PUT', path, body }, world.token)
  })
}

/** All merges write the same few rows of counts. */
const merges = [
  merge('companies', 'winner', 'loser', 'winner, loser, loser.example, absent, merge'),
  merge('companies', 'loser', 'winner', 'winner, loser, merge'),
  merge('companies', 'other', 'loser', 'loser, loser.example, merge'),
  merge('companies', 'east', 'west', 'merge'),
  merge('companies', 'winner', 'kept', 'winner, kept, merge'),
  merge('people', 'twin', 'person', 'person, deal, merge'),
  merge('tasks', 'task', 'twin task', 'task, merge'),
]

const settings = [
  rest('POST', '/schema/companies/fields/tier/options', 'tier, fields', () => ({ label: 'Gold' })),
  rest('DELETE', '/schema/companies/fields/tier/options/:gold', 'tier, loser, fields'),
  app('PUT', '/v1/schema/companies/fields/tier', 'tier, loser, fields', () => ({ remove_options: ['Gold'] })),
  app('PUT', '/v1/schema/companies/fields/code', 'code, winner, fields', () => ({ unique: true })),
  rest('DELETE', '/schema/people/fields/firms', 'firms, person, moved, fields'),
  rest('DELETE', '/schema/projects', 'projects, fields'),
  app('PATCH', '/members/:worker', 'worker', () => ({ role: 'viewer' })),
  app('DELETE', '/tokens/:worker_token', 'worker'),
  operation('POST /companies as the worker', 'worker', (world, side) =>
    sent(world, side, { method: 'POST', path: '/companies', body: (_, by) => ({ name: by }) }, world.workerToken),
  ),
]

/** Everything that can be done to a world. */
export const operations: readonly Operation[] = [
  ...creates,
  ...updates,
  ...completions,
  ...batches,
  ...imports,
  ...removals,
  ...upserts,
  ...returns,
  ...merges,
  ...undos,
  ...comments,
  ...follows,
  ...settings,
]

export type Pair = readonly [Operation, Operation]

/** All pairs of operations on related records, each operation against itself included. */
export function relatedPairs(): Pair[] {
  return operations.flatMap((one, index) =>
    operations
      .slice(index)
      .filter((other) => one.touches.some((part) => other.touches.includes(part)))
      .map((other): Pair => [one, other]),
  )
}
