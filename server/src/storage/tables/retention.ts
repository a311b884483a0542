import { firstIdAt } from '@kith/contract/id'
import {
  AUDIT_DAYS,
  DAY_MS,
  DELIVERIES_MAX,
  DELIVERY_DAYS,
  FAILED_DELIVERY_DAYS,
  HOUR_MS,
  IDEMPOTENCY_HOURS,
  JOB_DAYS,
  JOB_FILE_HOURS,
  JOB_WAITING_HOURS,
  NOTIFICATION_DAYS,
  RESTORE_DAYS,
  UNUSED_CLIENT_HOURS,
} from '@kith/contract/limits'
import type { Engine } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { loadWorkspaceIds } from './workspaces.ts'

/** How long the rows of a table are kept. */
type Retention = {
  table: string
  /** A time, or an id, which begins with its time. Rows expire when it is older than `keep`, in milliseconds. */
  column: string
  keep: number
  /** How many rows are deleted at a time, so that no writer waits long. */
  batch: number
  /** The columns that tell rows apart: in a workspace, or in the installation. */
  key: string
  of: 'workspace' | 'installation'
  every: 'hour' | 'day'
  /** Which rows expire, if not all. */
  which?: (tell: { workspaceId: string; before(ms: number): string }) => Sql<unknown>
  /** The row of another table that has the column, and the key by which a row belongs to it. */
  through?: { key: string; table: string }
  /** Of each value of this column, at most so many rows are kept, and none if its row of the other table is gone. */
  per?: { column: string; table: string; most: number }
}

const BATCH = 500
const hourly = { batch: BATCH, of: 'workspace', every: 'hour' } as const
const daily = { batch: BATCH, of: 'workspace', every: 'day' } as const
const ended = { key: 'id', column: 'expires_at', keep: 0, batch: BATCH, of: 'installation', every: 'day' } as const

const logged = { table: 'deliveries', key: 'webhook_id, id', column: 'id', ...hourly } as const

export const deliveredLog: Retention = {
  ...logged,
  keep: DELIVERY_DAYS * DAY_MS,
  which: () => sql`state = 'delivered'`,
  per: { column: 'webhook_id', table: 'webhooks', most: DELIVERIES_MAX },
}

/** Parts of a job expire before the job, or they would not be found again. */
const ofJob = { column: 'finished_at', through: { key: 'job_id', table: 'jobs' }, ...hourly } as const

export const retention: readonly Retention[] = [
  { table: 'sessions', ...ended },
  { table: 'verifications', ...ended },
  { table: 'password_links', ...ended, key: 'hash' },
  { table: 'email_links', ...ended, key: 'hash' },
  { table: 'oauth_access_tokens', ...ended },
  { table: 'oauth_refresh_tokens', ...ended },
  { table: 'oauth_codes', ...ended, key: 'hash', column: 'used_at', keep: DAY_MS },
  {
    // Anyone may register a client. One that no member has connected must register again.
    table: 'oauth_clients',
    ...ended,
    column: 'created_at',
    keep: UNUSED_CLIENT_HOURS * HOUR_MS,
    every: 'hour',
    which: () => sql`not exists (select 1 from connections c where c.client_id = oauth_clients.client_id)`,
  },
  {
    table: 'audit_log',
    key: 'resource, id',
    column: 'id',
    keep: AUDIT_DAYS * DAY_MS,
    ...daily,
  },
  // Large values.
  {
    table: 'change_values',
    key: 'change_id, field',
    column: 'change_id',
    keep: RESTORE_DAYS * DAY_MS,
    ...daily,
    batch: 50,
  },
  { table: 'files', key: 'id', column: 'deleted_at', keep: RESTORE_DAYS * DAY_MS, ...daily },
  { table: 'notifications', key: 'user_id, id', column: 'id', keep: NOTIFICATION_DAYS * DAY_MS, ...daily },
  { table: 'comments', key: 'id', column: 'deleted_at', keep: RESTORE_DAYS * DAY_MS, ...daily },
  { table: 'idempotency_keys', key: 'owner, key', column: 'created_at', keep: IDEMPOTENCY_HOURS * HOUR_MS, ...hourly },
  deliveredLog,
  { ...logged, keep: FAILED_DELIVERY_DAYS * DAY_MS, which: () => sql`state = 'failed'` },
  { table: 'job_claims', key: 'job_id, claim', ...ofJob, keep: 0 },
  { table: 'job_rows', key: 'job_id, "row"', ...ofJob, keep: JOB_DAYS * DAY_MS },
  { table: 'jobs', key: 'id', column: 'finished_at', keep: JOB_DAYS * DAY_MS, ...hourly },
  {
    table: 'jobs',
    key: 'id',
    column: 'created_at',
    keep: JOB_WAITING_HOURS * HOUR_MS,
    ...hourly,
    which: () => sql`state = 'waiting'`,
  },
  {
    // Uploads that no job took, and files of jobs that have ended.
    table: 'job_files',
    key: 'file_id, piece',
    column: 'file_id',
    keep: JOB_WAITING_HOURS * HOUR_MS,
    ...hourly,
    batch: 50,
    which: ({ workspaceId, before }) => sql`file_id not in (select j.file_id from jobs j
      where j.workspace_id = ${workspaceId} and j.file_id is not null
      and (j.finished_at is null or j.finished_at > ${before(JOB_FILE_HOURS * HOUR_MS)}))`,
  },
]

type Expiry = { at: Date; isStopped?: (() => boolean) | undefined }

/** Expires the rows of all workspaces, or of the installation. */
export async function expireRows(engine: Engine, rows: Retention, expiry: Expiry): Promise<void> {
  if (rows.of === 'installation') return expireIn(engine, rows, { ...expiry, workspaceId: '' })
  for (const workspaceId of await loadWorkspaceIds(engine.db)) {
    if (!rows.per) await expireIn(engine, rows, { ...expiry, workspaceId })
    else
      for (const value of await loadValues(engine, rows.table, { workspaceId, column: rows.per.column })) {
        await expireOf(engine, rows, { ...expiry, workspaceId, value })
      }
  }
}

function loadValues(
  { db }: Engine,
  table: string,
  { workspaceId, column }: { workspaceId: string; column: string },
): Promise<string[]> {
  return sql<string>`select distinct ${sql.ref(column)} from ${sql.table(table)}
    where workspace_id = ${workspaceId}`.column(db)
}

/** Expires the rows with one value of the column by which they are counted. */
export async function expireOf(
  engine: Engine,
  rows: Retention,
  { value, ...expiry }: Expiry & { workspaceId: string; value: string },
): Promise<void> {
  const { table, key, batch, column, per } = rows
  if (!per) return
  const { workspaceId, isStopped = () => false } = expiry
  const ours = sql`workspace_id = ${workspaceId} and ${sql.ref(per.column)} = ${value}`
  const owner = sql`select 1 from ${sql.table(per.table)} where workspace_id = ${workspaceId} and id = ${value}`
  if (!(await owner.exists(engine.db))) {
    while (!isStopped() && (await deleteSome(engine, { table, key, batch, which: ours })));
    return
  }
  const last = await sql<string>`select ${sql.ref(column)} from ${sql.table(table)} where ${ours}
    order by ${sql.ref(column)} desc limit 1 offset ${per.most}`.value(engine.db)
  await expireIn(engine, rows, { ...expiry, ours, last })
}

async function expireIn(
  engine: Engine,
  { table, column, keep, batch, key, of, which, through }: Retention,
  {
    at,
    isStopped = () => false,
    workspaceId,
    ours,
    last,
  }: Expiry & {
    workspaceId: string
    /** The rows among which it deletes, if not those of the workspace. */
    ours?: Sql<unknown>
    /** Rows up to this one expire earlier. */
    last?: string | undefined
  },
): Promise<void> {
  const before = (ms: number) => new Date(at.getTime() - ms).toISOString()
  const oldest = /id$/.test(column) ? firstIdAt(at.getTime() - keep) : before(keep)
  const among = ours ?? (of === 'workspace' ? sql`workspace_id = ${workspaceId}` : sql`1 = 1`)
  const isPast = sql`${sql.ref(column)} <= ${last !== undefined && last > oldest ? last : oldest}`
  const isOld = through
    ? sql`${sql.ref(through.key)} in (select id from ${sql.table(through.table)} where ${among} and ${isPast})`
    : isPast
  const also = which ? sql`and ${which({ workspaceId, before })}` : sql``
  const some = { table, key, batch, which: sql`${among} and ${isOld} ${also}` }
  while (!isStopped() && (await deleteSome(engine, some)));
}

/** Deletes some rows; false when there are none left. Reads first, so that nothing writes when there are none. */
async function deleteSome(
  engine: Engine,
  { table, key, batch, which }: Pick<Retention, 'table' | 'key' | 'batch'> & { which: Sql<unknown> },
): Promise<boolean> {
  const some = (count: number) =>
    sql`select ${sql.raw(key)} from ${sql.table(table)} where ${which} limit ${sql.lit(count)}`
  if (!(await some(1).exists(engine.db))) return false
  const found = sql`delete from ${sql.table(table)} where ${which} and (${sql.raw(key)}) in (${some(batch)})`
  return (await found.run(engine.single)) === batch
}
