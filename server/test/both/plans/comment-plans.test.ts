import { newId } from '@kith/contract/id'
import { registry } from '@kith/contract/registry'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listActivity } from '../../../src/changes/activity.ts'
import { listChanges } from '../../../src/changes/feed.ts'
import { listNotifications, readNotifications } from '../../../src/notifications/inbox.ts'
import { addComment, listComments, readComment, updateComment } from '../../../src/records/comments/comments.ts'
import { listRecords } from '../../../src/records/list.ts'
import { mergeRecords } from '../../../src/records/merge/merge.ts'
import { undoMerge } from '../../../src/records/merge/undo-merge.ts'
import { removeRecord, restoreRecord } from '../../../src/records/trash/restore.ts'
import { inTransaction, type Scope } from '../../../src/scope/scope.ts'
import type { Ran } from '../../../src/storage/engines/recorded.ts'
import { columnsOf } from '../../../src/storage/engines/stored-table.ts'
import { findDue } from '../../../src/storage/tables/due.ts'
import { loadUnmailed, openMailboxes, takeUnmailed } from '../../../src/storage/tables/mails.ts'
import { expectPlans } from './expect-plans.ts'
import { type Intended, RECORD } from './plan-cases.ts'
import { newPlanWorld, type PlanWorld } from './plan-world.ts'

const company = registry.companies
const asked = { raw: {}, loose: false, issues: [] }
const EACH = 40

let world: PlanWorld
/** Companies with comments, and a comment on each of them. */
let records: string[]
let comments: string[]

beforeAll(async () => {
  world = await newPlanWorld()
  await world.statementsOf(async (scope) => {
    records = (await listRecords(scope, company, { ...asked, raw: { per_page: '100' } })).data().map(({ id }) => id)
    comments = await fill(scope)
  })
  await world.engine.single.session.run(world.engine.dialect === 'postgres' ? 'vacuum analyze' : 'analyze', [])
})
afterAll(() => world.engine.close())

function fill(scope: Scope): Promise<string[]> {
  const at = new Date().toISOString()
  const row = (record_id: string) => [
    ...[scope.workspace.id, newId(Date.now()), company.number, record_id],
    ...[`Hello @[${scope.actor.user_id}]`, at, at, scope.actor.user_id],
  ]
  const rows = records.flatMap((id) => Array.from({ length: EACH }, () => row(id)))
  const names = ['workspace_id', 'id', 'resource', 'record_id', 'body', 'created_at', 'updated_at', 'creator_id']
  const columns = columnsOf(names, ['resource'])
  return inTransaction(scope, async ({ engine, db }) => {
    await engine.insertRows(db, { table: 'comments', columns }, rows)
    return rows.filter((_, index) => index % EACH === 0).map(([, id]) => String(id))
  })
}

/** Whether a statement is about comments. */
const isOfComments = ({ sql }: Ran) => /\b"?comments"?\b/.test(sql)

type Case = [name: string, run: (scope: Scope) => Promise<unknown>, intended: Intended]

const cases: Case[] = [
  [
    'are listed along their index',
    (scope) => listComments(scope, company, { id: records[0] ?? '', raw: { per_page: '100' }, issues: [] }),
    { uses: ['comments_record'] },
  ],
  [
    'are read by their id',
    (scope) => readComment(scope, comments[0] ?? '', []),
    { uses: ['comments_pkey', RECORD], looks: 4 },
  ],
  [
    'are answered after a look at the comment',
    (scope) => {
      const body = { body: 'Yes', reply_to: comments[1] }
      return addComment(scope, company, { id: records[1] ?? '', body, issues: [] })
    },
    // It notifies those who have commented on the record.
    { uses: ['comments_pkey', RECORD], looks: EACH + 2 },
  ],
  [
    'are edited by their id',
    (scope) => updateComment(scope, { id: comments[2] ?? '', body: { body: 'No' }, issues: [] }),
    { uses: ['comments_pkey'], looks: 4 },
  ],
  [
    'are part of the activity along their index',
    (scope) => {
      const part = { kinds: undefined, cursor: undefined, per_page: undefined }
      return listActivity(scope, company, { record_id: records[3], ...part })
    },
    { uses: ['comments_record'] },
  ],
  [
    'go with their record and return',
    async (scope) => {
      const id = records[4] ?? ''
      await removeRecord(scope, company, { id })
      await restoreRecord(scope, company, { id })
    },
    { uses: ['comments_record'] },
  ],
  [
    'move with a merge and back',
    async (scope) => {
      const { merge_id } = await mergeRecords(scope, company, { winner_id: records[5], loser_ids: [records[6]] })
      await undoMerge(scope, merge_id)
    },
    { uses: ['comments_record', 'comments_pkey', 'merge_moves_pkey'] },
  ],
]

describe('comments', () => {
  it.each(cases)('%s', async (_, run, intended) => {
    const statements = (await world.statementsOf(run)).filter(isOfComments)
    expect(statements).not.toEqual([])
    await expectPlans(world.engine, statements, intended)
  })

  it('are in a first copy along their ids', async () => {
    const raw = { cursor: 'start', resource: 'comments', limit: '50' }
    const statements = await world.statementsOf(async (scope) => {
      await listChanges(scope, { asked: { ...asked, raw, loose: true }, resync: '' })
    })
    const intended = { uses: ['comments_pkey', RECORD], walks: ['comments_pkey'] }
    await expectPlans(world.engine, statements.filter(isOfComments), intended)
  })
})

describe('an inbox', () => {
  it.each([
    ['is read along its index', {}, 'notifications_pkey'],
    ['its unread part, too', { unread: 'true' }, 'notifications_unread'],
  ])('%s', async (_, raw, index) => {
    const statements = await world.statementsOf((scope) => listNotifications(scope, { raw, issues: [] }))
    await expectPlans(world.engine, statements, {
      uses: [index, RECORD],
      // There is one user.
      walks: [index, 'users_pkey'],
      looks: 80,
    })
  })

  it('is marked as read from its unread part', async () => {
    const until = '2000-01-01'
    const statements = await world.statementsOf((scope) => readNotifications(scope, { body: { until }, issues: [] }))
    await expectPlans(world.engine, statements, { uses: ['notifications_unread'] })
  })

  it('what is to be mailed, and what is due, is found among all by its time', async () => {
    const at = new Date()
    const statements = await world.statementsOf(async (scope) => {
      await openMailboxes(scope.engine, at)
      const period = { since: '2026-01-10', until: '2026-01-11' }
      await findDue(scope.engine.db, 'tasks', period)
      await findDue(scope.engine.db, 'reminders', period)
      await inTransaction(scope, async (inside) => {
        const { user_id } = inside.actor
        const unmailed = await loadUnmailed(inside, user_id)
        expect(unmailed).not.toEqual([])
        await takeUnmailed(inside, {
          user_id,
          ids: unmailed.map(({ id }) => id),
          others: true,
          at: at.toISOString(),
        })
      })
    })
    await expectPlans(world.engine, statements, {
      uses: [
        ...['notifications_mail', 'notifications_unmailed', 'field_values_match|field_values_pkey'],
        ...['reminders_pkey', 'reminders_time'],
      ],
      walks: ['mailboxes_pkey', 'users_pkey', 'notifications_unmailed', 'notifications_mail'],
    })
  })
})
