import { momentOf } from '@kith/contract/id'
import { DAY_MS } from '@kith/contract/limits'
import { withSchema } from '../fields/definitions.ts'
import { settingsOf } from '../notifications/inbox.ts'
import type { Mail } from '../outbound/mail.ts'
import { inTransaction, type Tenancy } from '../scope/scope.ts'
import { findUser, userTable } from '../storage/tables/accounts.ts'
import { holdMailbox, leaveToDigest, loadUnmailed, takeUnmailed, UNMAILED_AT_ONCE } from '../storage/tables/mails.ts'
import type { ListedNotification } from '../storage/tables/notifications.ts'
import { composeMail } from './compose.ts'
import { nextMorning } from './morning.ts'

/** What is older is not mailed any more: the service did not run, or sent no mail. */
const KEPT_MS = 3 * DAY_MS

/** A mail that is to be sent, and the notifications that it is about. */
type Taken = { ids: string[]; digest: boolean; tries: number; mail: Mail }

type Asked = { by: string; app_url: string }

/** The database step of the node that has the lease of a mailbox. */
export const mailSteps = {
  /** Takes what is to be mailed now. What the member may not see any more is not: it is read again here. */
  'take-mail': (tenancy: Tenancy, { by, app_url }: Asked): Promise<{ taken: Taken[]; morning: string }> =>
    inTransaction(tenancy, async (joined) => {
      const inside = await withSchema(joined)
      const { db, workspace } = inside
      const { user_id } = inside.actor
      const now = inside.now().getTime()
      const user = await findUser(db, user_id)
      const zone = (await userTable.find(db, { id: user_id }))?.time_zone ?? 'UTC'
      const morning = new Date(nextMorning(now, zone)).toISOString()
      if (!user || !(await holdMailbox(inside, user_id, by))) return { taken: [], morning }
      const listed = (await loadUnmailed(inside, user_id)).toSorted((one, other) => (one.id < other.id ? -1 : 1))
      // The texts of others go to no mailbox that may be someone else's.
      const shown = user.verified ? listed.filter(({ id }) => Date.parse(momentOf(id)) > now - KEPT_MS) : []
      const { due, later } = sorted(shown, { settings: await settingsOf(inside), now, zone })
      for (const [at, rows] of Map.groupBy(later, (one) => one.at)) {
        const ids = rows.map(({ row }) => row.id)
        await leaveToDigest(db, { workspace_id: workspace.id, user_id, ids }, new Date(at).toISOString())
      }
      const waiting = new Set(later.map(({ row }) => row.id))
      const mailed = new Set(due.flatMap(({ rows }) => rows.map(({ id }) => id)))
      const ids = listed.filter((row) => mailed.has(row.id) || (isDue(row, now) && !waiting.has(row.id)))
      await takeUnmailed(inside, {
        user_id,
        ids: ids.map(({ id }) => id),
        others: listed.length < UNMAILED_AT_ONCE,
        at: new Date(now).toISOString(),
      })
      const taken: Taken[] = []
      for (const { rows, digest } of due) {
        const mail = await composeMail(inside, rows, { to: user, digest, app_url })
        taken.push({
          ids: rows.map(({ id }) => id),
          digest,
          tries: Math.max(...rows.map((row) => row.mail_tries)),
          mail,
        })
      }
      return { taken, morning }
    }),
}

type Sorting = { settings: Awaited<ReturnType<typeof settingsOf>>; now: number; zone: string }

/** The mails that are due, and what waits for a digest. */
function sorted(rows: readonly ListedNotification[], { settings, now, zone }: Sorting) {
  const wanted = rows.filter(({ reason }) => settings[reason] !== 'none')
  const inDigest = (row: ListedNotification) => row.digest === 1 || settings[row.reason] === 'digest'
  const atOnce = Map.groupBy(
    wanted.filter((row) => !inDigest(row)),
    // Others than those about records never become one.
    ({ resource, record_id, id }) => (resource === null ? id : `${resource} ${record_id}`),
  )
  const due = [...atOnce.values()]
    .filter((group) => group.some((row) => isDue(row, now)))
    .map((rows) => ({ rows, digest: false }))
  const digest = wanted.filter(inDigest).map((row) => {
    const at = Date.parse(row.mail_at ?? '')
    // What is too late for the digest of a day is in the next one: there is one a day.
    return { row, at: row.digest === 1 ? at : nextMorning(at - 1, zone) }
  })
  const today = digest.filter(({ at }) => at <= now).map(({ row }) => row)
  const later = digest.filter(({ row, at }) => at > now && row.digest === 0)
  return { due: today.length > 0 ? [...due, { rows: today, digest: true }] : due, later }
}

function isDue({ mail_at }: ListedNotification, now: number): boolean {
  return Date.parse(mail_at ?? '') <= now
}
