import { mentionsIn } from '@kith/contract/comment'
import { reasonWords, subjects } from '@kith/contract/notifications'
import type { Schema } from '@kith/contract/resource'
import { partsOf, recordIn, subjectOf } from '../notifications/text.ts'
import { escaped, type Mail, quoted, type Told, told } from '../outbound/mail.ts'
import type { Scope } from '../scope/scope.ts'
import { loadMemberNames } from '../storage/tables/members.ts'
import type { ListedNotification } from '../storage/tables/notifications.ts'
import { unsubscribeToken } from './unsubscribe.ts'

/** How many notifications a mail shows, and how much of a comment. */
const SHOWN_MAX = 50
const QUOTED_MAX = 1000
const SUBJECT_MAX = 150

/** What happened, what was said, and where to see it. */
type Item = { head: Told; said: Told | undefined; link: string }

type Letter = { to: { id: string; email: string }; digest: boolean; app_url: string }

/** A mail about notifications of one record, or a digest, as text and as HTML. */
export async function composeMail(
  scope: Scope,
  rows: readonly ListedNotification[],
  { to, digest, app_url }: Letter,
): Promise<Mail> {
  const { workspace, schema } = scope
  const site = `${app_url}/${workspace.slug}`
  const items = (await itemsOf(scope, rows.slice(0, SHOWN_MAX))).map((item) => ({ ...item, link: site + item.link }))
  const about = digest ? workspace.name : rows.slice(0, 1).map((row) => recordIn(row, schema))[0]
  const plural = rows.length === 1 ? '1 notification' : `${rows.length} notifications`
  const [only] = items.length === 1 ? items : []
  const subject = only && !digest ? only.head : told`${plural}: ${about ?? ''}`
  const reasons = [...new Set(rows.map(({ reason }) => reason))]
  const token = unsubscribeToken(scope.secret, { workspace_id: workspace.id, user_id: to.id, reasons })
  const foot = {
    more: rows.length - items.length,
    inbox: `${site}/notifications`,
    why: told`You get this mail from the workspace ${workspace.name}. ${reasons.map((one) => reasonWords[one][1]).join(' ')}`,
    settings: `${site}/settings/notifications`,
    unsubscribe: `${app_url}/unsubscribe?token=${token}`,
  }
  const id = [rows[0]?.id, to.id, digest ? 'digest' : 'notice'].join('.')
  return {
    to: to.email,
    subject: shortened(subject.text, SUBJECT_MAX),
    text: textOf(items, foot),
    notice: { html: htmlOf(items, foot), id, unsubscribe: foot.unsubscribe },
  }
}

async function itemsOf(scope: Scope, rows: readonly ListedNotification[]): Promise<Item[]> {
  const mentioned = rows.flatMap(({ comment_body }) => mentionsIn(comment_body ?? '').ids)
  const names = new Map((await loadMemberNames(scope, [...new Set(mentioned)])).map(({ id, name }) => [id, name]))
  return rows.map((row) => {
    const { head, said } = partsOf(row, { schema: scope.schema, names })
    const quote = said === undefined ? undefined : quoted(shortened(said.trim(), QUOTED_MAX))
    return { head: told`${head}`, said: quote, link: pathOf(row, scope.schema) }
  })
}

/** Where the application shows what a notification is about. */
function pathOf(row: ListedNotification, schema: Schema): string {
  const page = pages[subjects[row.reason] ?? '']
  if (page !== undefined) return page
  const comment = row.comment_id === null ? '' : `?comment=${row.comment_id}`
  return `/${subjectOf(row, schema)}/${row.record_id}${comment}`
}

const pages: Readonly<Record<string, string>> = {
  jobs: '/settings/imports',
  webhooks: '/settings/webhooks',
  users: '/settings/members',
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text
}

type Foot = { more: number; inbox: string; why: Told; settings: string; unsubscribe: string }

function textOf(items: readonly Item[], { more, inbox, why, settings, unsubscribe }: Foot): string {
  const shown = items.map(({ head, said, link }) =>
    [head.text, ...(said ? [said.text.replaceAll(/^/gm, '> ')] : []), link].join('\n\n'),
  )
  const rest = more > 0 ? [`${more} more are in your inbox: ${inbox}`] : []
  const foot = `--\n${why.text}\nSettings: ${settings}\nUnsubscribe: ${unsubscribe}`
  return [...shown, ...rest, foot].join('\n\n')
}

function htmlOf(items: readonly Item[], { more, inbox, why, settings, unsubscribe }: Foot): string {
  const link = (address: string, words: string) => `<a href="${escaped({ text: address })}">${words}</a>`
  const shown = items.map(({ head, said, link: address }) => {
    const quote = said ? `<blockquote style="${QUOTE}">${escaped(said).replaceAll('\n', '<br>')}</blockquote>` : ''
    return `<p style="margin:24px 0 8px">${escaped(head)}</p>${quote}<p style="margin:8px 0">${link(address, 'Open in Kith')}</p>`
  })
  const rest = more > 0 ? `<p>${link(inbox, `${more} more are in your inbox`)}</p>` : ''
  const ends = `${link(settings, 'Settings')} · ${link(unsubscribe, 'Unsubscribe')}`
  const foot = `<p style="${FOOT}">${escaped(why)}<br>${ends}</p>`
  return `<!doctype html><html lang="en"><body style="${BODY}">${shown.join('')}${rest}${foot}</body></html>`
}

const BODY = 'font:15px/1.5 system-ui,sans-serif;color:#1c1c1a;max-width:36em;margin:0 auto;padding:8px 16px'
const QUOTE = 'margin:8px 0;padding:0 0 0 12px;border-left:3px solid #d9d9d4'
const FOOT = 'margin-top:32px;font-size:13px;color:#6b6b66'
