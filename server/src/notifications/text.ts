import { withNames } from '@kith/contract/comment'
import { subjects } from '@kith/contract/notifications'
import type { Schema } from '@kith/contract/resource'
import type { ListedNotification } from '../storage/tables/notifications.ts'

/** The name of what a notification is about. */
export function subjectOf(
  { reason, resource }: Pick<ListedNotification, 'reason' | 'resource'>,
  schema: Schema,
): string {
  return subjects[reason] ?? [...schema.values()].find(({ number }) => number === resource)?.type ?? ''
}

/** `names`: those of the members whom comments mention. */
type Known = { schema: Schema; names: ReadonlyMap<string, string> }

const EXCERPT_MAX = 200

/** The beginning of a comment, in one line and without the marks of Markdown that would only disturb there. */
function excerptOf(text: string): string {
  const plain = text
    .replaceAll(/!?\[([^\][]*)\]\([^\s()]*\)/g, '$1')
    .replaceAll(/^[#>]+ /gm, '')
    .replaceAll(/\*\*|~~|`/g, '')
  const line = plain.replaceAll(/\s+/g, ' ').trim()
  return line.length > EXCERPT_MAX ? `${line.slice(0, EXCERPT_MAX).toWellFormed()}…` : line
}

/** What happened, in a sentence. */
export function sentenceOf(row: ListedNotification, known: Known): string {
  const { head, said } = partsOf(row, known)
  return said === undefined ? head : `${head}: ${excerptOf(said)}`
}

/** What happened, and the comment that is about it. */
export function partsOf(row: ListedNotification, { schema, names }: Known): { head: string; said?: string } {
  const { reason, number, actor_name, detail } = row
  const who = actor_name ?? 'A member'
  const said = withNames(row.comment_body ?? '', names)
  const what = recordIn(row, schema)
  switch (reason) {
    case 'mentioned':
      return { head: `${who} mentioned you on ${what}`, said }
    case 'replied':
      return { head: `${who} replied to you on ${what}`, said }
    case 'commented':
      return { head: `${who} commented on ${what}`, said }
    case 'assigned': {
      const all = number === 1 ? what : `${number.toLocaleString('en-US')} records`
      if (actor_name !== null) return { head: `${who} assigned ${all} to you.` }
      return { head: `${capitalized(all)} ${number === 1 ? 'was' : 'were'} assigned to you.` }
    }
    case 'due':
      if (detail === null) return { head: `${capitalized(what)} is due.` }
      return { head: `Reminder: ${`${what} ${detail}`.trim()}.` }
    case 'import':
    case 'webhook':
      return { head: `${detail}` }
    case 'joined':
      return { head: `${row.user_name ?? 'A member'} joined the workspace.` }
  }
}

/** "the task Call Ada" */
export function recordIn(row: ListedNotification, schema: Schema): string {
  const resource = schema.get(subjectOf(row, schema))
  return `the ${resource?.one ?? 'record'} ${row.record_name ?? ''}`.trim()
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
