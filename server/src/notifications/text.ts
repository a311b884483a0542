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

/** What happened, in a sentence. */
export function sentenceOf(row: ListedNotification, schema: Schema): string {
  const { reason, number, actor_name: who, detail } = row
  const what = recordIn(row, schema)
  switch (reason) {
    case 'mentioned':
      return `${who ?? 'A member'} mentioned you on ${what}: ${detail}`
    case 'replied':
      return `${who ?? 'A member'} replied to you on ${what}: ${detail}`
    case 'commented':
      return `${who ?? 'A member'} commented on ${what}: ${detail}`
    case 'assigned': {
      const all = number === 1 ? what : `${number.toLocaleString('en-US')} records`
      if (who !== null) return `${who} assigned ${all} to you.`
      return `${capitalized(all)} ${number === 1 ? 'was' : 'were'} assigned to you.`
    }
    case 'due':
      return `${capitalized(what)} is due.`
    case 'import':
      return `${detail}`
    case 'webhook':
      return `The webhook ${detail} fails.`
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
