import { changeEntry } from '@kith/contract/changes/change-entry'
import { loggedChange } from '@kith/contract/changes/undo'
import { comment } from '@kith/contract/comment'
import { customField } from '@kith/contract/field-definition'
import { file } from '@kith/contract/file'
import { job } from '@kith/contract/jobs'
import { PER_PAGE_DEFAULT, RATE_READS, RATE_WORKSPACE, RATE_WRITES } from '@kith/contract/limits'
import { merge, trashed } from '@kith/contract/merge'
import { pageDocumentMeta } from '@kith/contract/query-string'
import { schemaOf } from '@kith/contract/registry'
import { type Resource, type Schema as Resources, resourceIn, stampNames } from '@kith/contract/resource'
import type { Schema } from '@kith/contract/shape'
import { type Shapes, type Shown, shownOf } from '@kith/contract/shape'
import { delivery, webhook } from '@kith/contract/webhooks/webhook'
import { startingFieldsOf } from '../../fields/definitions.ts'
import { describeSchema } from '../../schema/read-schema.ts'
import { notificationExamples } from './notification-examples.ts'
import {
  sampleEmail,
  sampleIds,
  sampleLoserId,
  sampleMatches,
  sampleMergeId,
  sampleOf,
  sampleTime,
} from './sample-records.ts'
import { isGeneral, oneOf } from './schema.ts'

const ID = '#/components/schemas/Id'
const TIME = '#/components/schemas/Timestamp'

const options = [{ id: '01kb8w5e6f7g8h9j0k1m2n3p4q', label: 'Gold', color: 'amber' }] as const
const draft = { code: 'tier', name: 'Tier', type: 'select', max_values: 1, position: 4, options } as const
const definition = exampleOf('custom_fields', '01kb8w4d5e6f7g8h9j0k1m2n3p', customField, draft)
const field = { ...definition.attributes, id: definition.id, number: 1, key: 'tier', system: false }

const shown = resourceIn(schemaOf([], [field]), 'companies')
const schema = { id: shown.type, type: 'schemas', attributes: describeSchema(shown, 17) }

const schemaExamples: Record<string, Schema> = {
  ResourceSchemaDocument: { summary: 'Companies', value: { data: schema } },
  ResourceSchemaList: { summary: 'The first of them', value: { data: [schema] } },
  CustomFieldDocument: { summary: 'A field with one option', value: { data: definition } },
  CustomFieldOrder: { summary: 'The only field', value: { data: [definition] } },
  OptionDocument: {
    summary: 'The first option',
    value: {
      data: { id: options[0].id, type: 'options', attributes: { label: 'Gold', color: 'amber', position: 1 } },
    },
  },
  FieldCreate: {
    summary: 'A choice of two',
    value: { name: 'Tier', type: 'select', options: [{ label: 'Gold', color: 'amber' }, { label: 'Silver' }] },
  },
  FieldUpdate: { summary: 'A new name', value: { name: 'Customer tier' } },
  OptionCreate: { summary: 'A label', value: { label: 'Gold' } },
  OptionUpdate: { summary: 'Another label, in the first place', value: { label: 'Gold partner', position: 1 } },
  ResourceCreate: { summary: 'Projects', value: { name: 'Projects', singular: 'Project', icon: 'rocket' } },
  ResourceUpdate: { summary: 'A new name', value: { name: 'Initiatives', singular: 'Initiative' } },
  ResourceOrder: { summary: 'Two own resources', value: { codes: ['projects', 'contracts'] } },
  FieldOrder: { summary: 'All three', value: { codes: ['linkedin', 'domains', 'icp'] } },
}

/** Every example of the document, by name. Operations refer to them. */
export function exampleParts(server: string, resources: Resources): Record<string, Schema> {
  const page = (summary: string, path: string, object: object): Schema => ({
    summary,
    value: { data: [object], ...pageOf(`${server}/v1/${path}`) },
  })
  return {
    ...Object.fromEntries([...resources.values()].flatMap((resource) => examplesOf(resource, server))),
    UserDocument: document("The token's user", user),
    UserList: page('The only member', 'users', user),
    TokenDocument: document('A token that never expires', token),
    MergeList: page('A merge of two companies', 'merges', sampleMerge),
    DuplicateList: page('Two companies of the same name', 'companies/duplicates', duplicate),
    HistoryList: {
      summary: 'A change of the name',
      value: { data: [history], ...cursorPageOf(`${server}/v1/companies/${sampleIds.companies}/history`) },
    },
    SearchResultList: page('A company that has both words in its name', 'search', searchResult),
    TrashedList: page('A company that was merged into another one', 'trash', sampleTrashed),
    ...batchExamples,
    ...undoExamples,
    CommentDocument: document('A mention', sampleComment),
    CommentList: {
      summary: 'The only comment',
      value: { data: [sampleComment], ...cursorPageOf(`${server}/v1/companies/${sampleIds.companies}/comments`) },
    },
    CommentCreate: { summary: 'A mention', value: { body: sampleComment.attributes.body } },
    CommentUpdate: { summary: 'Another text', value: { body: 'Renewal is done.' } },
    FileDocument: document('An offer', sampleFile),
    FileList: page('The only file', `companies/${sampleIds.companies}/files`, sampleFile),
    FileUpdate: { summary: 'Another name', value: { name: 'offer-2.pdf' } },
    ...notificationExamples((path) => cursorPageOf(`${server}/v1/${path}`)),
    JobDocument: document('An import that runs', sampleJob),
    JobList: page('The only job', 'jobs', sampleJob),
    WebhookDocument: document('An active webhook', sampleWebhook),
    WebhookSecretDocument: document('With its secret', sampleSecret),
    WebhookList: page('The only webhook', 'webhooks', sampleWebhook),
    WebhookCreate: { summary: 'Companies under a filter, and new people', value: sampleWebhookCreate },
    WebhookUpdate: { summary: 'Deliver again', value: { state: 'active' } },
    WebhookRotate: { summary: 'Both secrets sign for a day', value: { keep_hours: 24 } },
    WebhookReplay: { summary: 'What was given up', value: { only: 'failed' } },
    ReplayDocument: { summary: 'Three events', value: { meta: { count: 3 } } },
    DeliveryDocument: document('A delivery', sampleDelivery),
    DeliveryList: page('The only delivery', `webhooks/${sampleWebhook.id}/deliveries`, sampleDelivery),
    ChangeEvent: { summary: 'A deletion', value: sampleEvents.ChangeEvent },
    FeedResetEvent: { summary: 'Retention has overtaken the position', value: sampleEvents.FeedResetEvent },
    WebhookTestEvent: { summary: 'A test', value: sampleEvents.WebhookTestEvent },
    ImportCreate: { summary: 'Companies by their domains', value: sampleImport },
    ...schemaExamples,
    ChangeList: { summary: 'A deletion', value: changeList },
    CustomFieldList: page('The first of them', 'custom-fields', domainsField),
  }
}

/** An example of a noun. What is not given is null, false, empty, the first word, or the sample user or time. */
function exampleOf<S extends Shapes>(type: string, id: string, shapes: S, given: Partial<Shown<S>>) {
  const usual = Object.entries(shapes).map(([key, { schema, blank }]) => {
    const refs: Readonly<Record<string, unknown>> = { [ID]: sampleIds.users, [TIME]: sampleTime }
    return [key, refs[String(schema.$ref)] ?? blank]
  })
  // Together they are all attributes.
  return { id, type, attributes: shownOf(shapes, { ...Object.fromEntries(usual), ...given } as Shown<S>) }
}

function document(summary: string, data: object): Schema {
  return { summary, value: { data } }
}

const user = {
  id: sampleIds.users,
  type: 'users',
  attributes: { name: 'Grace Hopper', email: sampleEmail },
}

const sampleChange = {
  sequence: 4711,
  kind: 'deleted',
  record_id: sampleIds.companies,
  external_ids: {},
  record: null,
} as const

const changeList = {
  data: [
    exampleOf('changes', '01kb8w4d5e6f7g8h9j0k1m2n3r', changeEntry, {
      ...sampleChange,
      resource: 'companies',
      origin: { source: 'api', actor_id: sampleIds.users, token_id: '01kb8w4d5e6f7g8h9j0k1m2n3q', own: false },
    }),
  ],
  meta: { next_cursor: 'WyIiLDQ3MTFd2b0Jc1n3ZbN0Xk0wQ6y1Aw', has_more: false, phase: 'live', head: 4711 },
}

const sampleComment = exampleOf('comments', sampleMergeId, comment, {
  body: `Renewal is due, @[${sampleIds.users}].`,
  mentions: [{ id: sampleIds.users, name: 'Grace Hopper' }],
  resource: 'companies',
  record_id: sampleIds.companies,
})

const sampleFile = exampleOf('files', sampleMergeId, file, {
  name: 'offer.pdf',
  content_type: 'application/pdf',
  size: 4711,
  sha256: '3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b',
  resource: 'companies',
  record_id: sampleIds.companies,
})

const sampleUndo = {
  id: '01kb8w4d5e6f7g8h9j0k1m2n3r',
  resource: 'companies',
  record_id: sampleIds.companies,
  status: 200,
} as const

const loggedUpdate = exampleOf('changes', sampleUndo.id, loggedChange, {
  kind: 'updated',
  resource: 'companies',
  record_id: sampleIds.companies,
  changed: ['name'],
  changes: [{ field: 'name', before: 'Acme', after: 'Acme Inc.' }],
  origin: { source: 'api', actor_id: sampleIds.users, token_id: '01kb8w4d5e6f7g8h9j0k1m2n3q', own: false },
})

const notUndone = 'The name was changed again at 2026-11-14T09:30:00.125Z. The change cannot be undone.'

const undoExamples = {
  LoggedChangeDocument: document('A new name', loggedUpdate),
  ChangeUndo: { summary: 'Also if the record was changed since', value: { force: true } },
  ChangesUndo: { summary: 'Two changes', value: { ids: [sampleUndo.id, sampleMergeId], dry_run: true } },
  Summary: {
    summary: 'By member',
    value: {
      data: [
        { keys: [{ id: sampleUndo.id, label: 'Anna Berg' }], value: 12, count: 12 },
        { keys: [{ id: null, label: 'Empty' }], value: 3, count: 3 },
      ],
      meta: { measure: 'count', field: null, currency: null, total_groups: 2, other: null },
    },
  },
  UndoResults: {
    summary: 'Undone',
    value: { data: [sampleUndo], meta: { total: 1, succeeded: 1, failed: 0, dry_run: false } },
  },
  UndoFailures: {
    summary: 'Changed since',
    value: {
      data: [{ ...sampleUndo, status: 422, message: notUndone, errors: { name: [notUndone] } }],
      meta: { total: 1, succeeded: 0, failed: 1, dry_run: false },
    },
  },
}

const token = {
  id: '01kb8w4d5e6f7g8h9j0k1m2n3q',
  type: 'tokens',
  attributes: {
    name: 'Sync with billing',
    abilities: ['read', 'create', 'update'],
    expires_at: null,
    role: 'member',
    limits: { workspace: RATE_WORKSPACE, reads: RATE_READS, writes: RATE_WRITES, items: null },
    workspace: { id: '01kb8w4d5e6f7g8h9j0k1m2n3r', name: 'Acme', slug: 'acme' },
  },
}

const operations = [
  {
    op: 'upsert',
    lid: 'acme',
    match: { field: 'domains', value: 'acme.com' },
    data: { name: 'Acme' },
  },
  { op: 'update', id: sampleIds.companies, if_match: sampleTime, data: { name: 'Acme Inc.' } },
]

const results = [
  { index: 0, op: 'upsert', status: 201, id: sampleIds.companies, updated_at: sampleTime, created: true },
  { index: 1, op: 'update', status: 200, id: sampleIds.companies, updated_at: sampleTime, created: false },
]

const failure = {
  index: 1,
  op: 'update',
  status: 422,
  message: 'The name field is required.',
  errors: { name: ['The name field is required.'] },
}

const batchMeta = { total: 2, succeeded: 2, failed: 0, atomic: false, dry_run: false }

const batchExamples = {
  ResourceBatch: { summary: 'An upsert and an update', value: { operations } },
  Batch: {
    summary: 'A company and a person in it',
    value: {
      operations: [
        { resource: 'companies', ...operations[0] },
        { op: 'create', resource: 'people', data: { name: 'Ada', company_id: { lid: 'acme' } } },
      ],
    },
  },
  BatchResults: { summary: 'All succeeded', value: { data: results, meta: batchMeta } },
  BatchFailures: {
    summary: 'One failed',
    value: { data: [results[0], failure], meta: { ...batchMeta, succeeded: 1, failed: 1 } },
  },
}

const sampleMerge = exampleOf('merges', sampleMergeId, merge, {
  winner_id: sampleIds.companies,
  loser_ids: [sampleLoserId],
  merged_by: sampleIds.users,
  undoable_until: '2026-12-14T09:30:00.125Z',
})

const sampleTrashed = exampleOf('trash', sampleLoserId, trashed, {
  name: 'Acme Inc.',
  deleted_by: sampleIds.users,
  restorable_until: '2026-12-14T09:30:00.125Z',
  merged_into: sampleIds.companies,
})

const duplicate = {
  id: 'q1w2e3r4t5z6u7i8o9p0a1s2d3',
  type: 'duplicates',
  attributes: { certainty: 'likely', field: 'name', value: 'Acme', count: 2, record_ids: sampleMatches },
}

const searchResult = {
  id: sampleIds.companies,
  type: 'search_results',
  attributes: { resource: 'companies', name: 'Acme Inc.', detail: 'acme.com', created_at: sampleTime },
}

const history = {
  id: '01kb9b2c3d4e5f6g7h8j9k0m1n',
  type: 'history',
  attributes: {
    record_id: sampleIds.companies,
    at: sampleTime,
    action: 'update',
    origin: { source: 'api', actor_id: sampleIds.users, token_id: '01kb9c3d4e5f6g7h8j9k0m1n2p', own: true },
    actor_name: 'Grace Hopper',
    token_name: 'Sync',
    changes: [{ field: 'name', label: 'Name', before: 'Acme', after: 'Acme Inc.', truncated: false }],
  },
}

const domainsField = exampleOf('custom_fields', '01kb8w4d5e6f7g8h9j0k1m2n3p', customField, {
  code: 'domains',
  name: 'Domains',
  type: 'domain',
  unique: true,
  multiple: true,
  max_values: 5,
})

const sampleEvents = {
  ChangeEvent: {
    type: 'companies.deleted',
    timestamp: sampleTime,
    data: {
      id: sampleIds.notes,
      ...exampleOf('changes', '', changeEntry, { ...sampleChange, resource: 'companies' }).attributes,
      origin: { source: 'web', actor_id: sampleIds.users, token_id: null, own: false },
      cursor: 'WyIwMWtiOHc0ZDVlNmY3ZzhoOWowazFtMm4zcCIsNDcxMV0',
    },
  },
  FeedResetEvent: {
    type: 'feed.reset',
    timestamp: sampleTime,
    data: {
      reason: 'expired',
      resync: 'http://localhost:3000/api/v1/changes?cursor=start',
      cursor: 'WyIwMWtiOHc0ZDVlNmY3ZzhoOWowazFtMm4zcCIsNDcxMV0',
    },
  },
  WebhookTestEvent: {
    type: 'webhook.test',
    timestamp: sampleTime,
    data: { endpoint_id: sampleIds.opportunities },
  },
}

const sampleWebhookCreate = {
  url: 'https://hooks.example.com/kith',
  types: ['companies.*', 'people.created'],
  filter: { companies: { name: { $contains: 'labs' } } },
}

const position = { sequence: 4711, behind: 0, blocked: 0, oldest_at: null }

const sampleWebhook = exampleOf('webhooks', sampleIds.opportunities, webhook, {
  ...sampleWebhookCreate,
  position,
  last_success_at: sampleTime,
})

const sampleSecret = {
  ...sampleWebhook,
  attributes: { ...sampleWebhook.attributes, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw1xR0Zk1nq2E=' },
}

const sampleAttempt = {
  at: sampleTime,
  status: 204,
  ms: 35,
  error: null,
  request: { headers: { 'webhook-id': sampleIds.notes }, body: '{"type":"companies.updated"}' },
  response: { headers: {}, body: '' },
}

const sampleDelivery = exampleOf('deliveries', sampleIds.tasks, delivery, {
  event_id: sampleIds.notes,
  type: 'companies.updated',
  record_id: sampleIds.companies,
  sequence: 4711,
  state: 'delivered',
  attempts: [sampleAttempt],
})

const sampleJob = exampleOf('jobs', sampleIds.opportunities, job, {
  state: 'running',
  mode: 'upsert',
  match: 'domains',
  mapping: { Website: 'custom_fields.domains' },
  name: 'Customers from the old system',
  progress: { rows: 12_345, done: 4000, created: 3890, updated: 85, unchanged: 20, failed: 5 },
  named: { linked: 3120, created: 14, open: 3 },
  started_at: sampleTime,
})

const sampleImport = {
  type: 'import',
  resource: 'companies',
  format: 'csv',
  mode: 'upsert',
  match: 'domains',
  mapping: { Website: 'custom_fields.domains', 'Internal note': null },
}

function examplesOf(resource: Resource, server: string): [string, Schema][] {
  const one = oneOf(resource)
  const record = recordOf(resource)
  const path = `${server}/v1/${resource.type}`
  const { own, links, written, change } = sampleOf(resource)
  const create = { [resource.label]: own[resource.label], custom_fields: written }
  const linked = { ...own, ...links, custom_fields: written }
  return [
    [`${one}Document`, document('The record', record)],
    [`${one}Included`, { summary: 'With include=creator', value: withCreator(record) }],
    [`${one}Page`, { summary: 'By page', value: { data: [record], ...pageOf(path) } }],
    [`${one}CursorPage`, { summary: 'By cursor', value: { data: [record], ...cursorPageOf(path) } }],
    [`${one}Create`, { summary: 'With custom fields', value: create }],
    [`${one}CreateLinked`, { summary: 'Linked to what is there', value: linked }],
    [`${one}Update`, { summary: 'Change one value, clear another', value: change }],
    [`${one}Upsert`, { summary: 'By a unique field', value: { match: matchOf(resource), ...create } }],
    [`${one}Query`, { summary: 'A filter', value: queryOf(resource) }],
    [
      `${one}SummaryQuery`,
      { summary: 'By member', value: { filter: queryOf(resource).filter, group_by: ['creator'] } },
    ],
    [`${one}Merge`, { summary: 'One loser', value: { loser_ids: [sampleLoserId] } }],
    [`${one}Merged`, { summary: 'The winner', value: { data: record, meta: { merge_id: sampleMergeId } } }],
  ]
}

function recordOf(resource: Resource) {
  const { id, own, custom_fields } = sampleOf(resource)
  const stamps = stampNames(resource).map((name) => [
    name,
    resource.attributes[name]?.kind === 'time' ? sampleTime : 'api',
  ])
  return { id, type: resource.type, attributes: { ...own, ...Object.fromEntries(stamps), custom_fields } }
}

function withCreator(record: object) {
  const creator = { data: { id: user.id, type: user.type } }
  return { data: { ...record, relationships: { creator } }, included: [user] }
}

/** If a resource has no unique field by default, the workspace must define one first. */
function matchOf(resource: Resource) {
  const open = isGeneral(resource.schema)
  const field = open && startingFieldsOf(resource.type).find((starting) => starting.identifying)
  if (!field) return { field: open ? 'external_id' : 'external_ids.billing', value: '4711' }
  const [value] = [sampleOf(resource).written[field.code]].flat()
  return { field: field.code, value }
}

function queryOf(resource: Resource) {
  return { filter: sampleOf(resource).filter, sort: '-updated_at', include: 'creator', per_page: 50 }
}

function pageOf(path: string) {
  const urlOf = (page: number) => `${path}?page=${page}`
  return pageDocumentMeta({ page: 1, per_page: PER_PAGE_DEFAULT, total: 1, count: 1, path, urlOf })
}

function cursorPageOf(path: string) {
  const cursor = 'eyJrIjpbIjIwMjYtMTEtMTRUMDk6MzA6MDAuMTI1WiJdfQ'
  return {
    links: { first: null, last: null, prev: null, next: `${path}?cursor=${cursor}` },
    meta: { path, per_page: 1, next_cursor: cursor, prev_cursor: null },
  }
}
