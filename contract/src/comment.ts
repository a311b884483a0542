import { parseId } from './id.ts'
import { COMMENT_MAX, PER_PAGE_MAX } from './limits.ts'
import { resourceCode } from './resource-code.ts'
import * as is from './shape.ts'

const markdown = is.text({
  minLength: 1,
  maxLength: COMMENT_MAX,
  says: 'Markdown. `@[<member id>]` mentions a member of the workspace.',
})

/** A text that is kept as typed. */
const body: is.Shape<string> = {
  ...markdown,
  parse: (raw, path, report) => {
    const isBlank = typeof raw === 'string' && raw.trim() === ''
    if (isBlank) report(path, `The ${path} must not be empty.`)
    return isBlank ? undefined : markdown.parse(raw, path, report)
  },
}

const mention = is.object({ id: is.id(), name: is.text({ says: 'Of a former member: the last name.' }) })

export const comment = {
  body,
  mentions: is.list(is.component('Mention', mention), { says: 'Whom the body mentions, in its order.' }),
  resource: resourceCode(),
  record_id: is.id('The record that it is about.'),
  reply_to: is.orNull(is.id(), 'The comment that it replies to, which is no reply itself.'),
  created_at: is.time(),
  updated_at: is.time(),
  creator_id: is.orNull(is.id(), 'Who wrote it.'),
} as const

export type CommentObject = { id: string; type: 'comments'; attributes: is.Shown<typeof comment> }

export const newComment = { body, reply_to: comment.reply_to } as const

export const commentChanges = { body } as const

/** Not after a backslash, and no text of a link. */
const MENTION = /(?<!\\)@\[([^[\]\n]+)\](?!\()/g

/** The ids that a text mentions, in its order, and what it mentions by something else. */
export function mentionsIn(text: string): { ids: string[]; others: string[] } {
  const named = Array.from(text.matchAll(MENTION), ([, name = '']) => name)
  const ids = named.flatMap((name) => parseId(name) ?? [])
  return { ids: [...new Set(ids)], others: named.filter((name) => parseId(name) === undefined) }
}

/** A text with names in place of the ids that it mentions. */
export function withNames(text: string, names: ReadonlyMap<string, string>): string {
  return text.replaceAll(MENTION, (whole, id: string) => {
    const name = names.get(parseId(id) ?? '')
    return name === undefined ? whole : `@${name}`
  })
}

export const commentComponents = {
  ...is.noun('Comment', 'comments', { shown: comment, also: ['Document'] }),
  Mention: mention.schema,
  CommentList: is.closed({
    data: is.listSchema('Comment', PER_PAGE_MAX),
    links: is.named('CursorLinks'),
    meta: is.named('CursorMeta'),
  }),
  CommentCreate: is.sentSchema(newComment),
  CommentUpdate: is.sentSchema(commentChanges, { required: [] }),
}
