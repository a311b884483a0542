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
type Told = { schema: Schema; names: ReadonlyMap<string, string> }

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
export function sentenceOf(row: ListedNotification, { schema, names }: Told): string {
  const { reason, number, actor_name, detail } = row
  const who = actor_name ?? 'A member'
  const said = excerptOf(withNames(row.comment_body ?? '', names))
  const what = recordIn(row, schema)
  switch (reason) {
    case 'mentioned':
      return `${who} mentioned you on ${what}: ${said}`
    case 'replied':
      return `${who} replied to you on ${what}: ${said}`
    case 'commented':
      return `${who} commented on ${what}: ${said}`
    case 'assigned': {
      const all = number === 1 ? what : `${number.toLocaleString('en-US')} records`
      if (actor_name !== null) return `${who} assigned ${all} to you.`
      return `${capitalized(all)} ${number === 1 ? 'was' : 'were'} assigned to you.`
    }
    case 'due':
      return `${capitalized(what)} is due.`
    case 'import':
      return `${detail}`
    case 'webhook':
      return `${detail}`
    case 'joined':
      return `${row.user_name ?? 'A member'} joined the workspace.`
  }
}

/** "the task Call Ada" */
function recordIn(row: ListedNotification, schema: Schema): string {
  const resource = schema.get(subjectOf(row, schema))
  return `the ${resource?.one ?? 'record'} ${row.record_name ?? ''}`.trim()
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
