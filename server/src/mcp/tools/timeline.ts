import { type Activity, activityKinds } from '@kith/contract/app/activity'
import { resourceIn } from '@kith/contract/resource'
import { listActivity } from '../../changes/activity.ts'
import type { ResourceObject } from '../../records/present.ts'
import { idSchema } from '../record-arguments.ts'
import { estimateTokens, TOKENS_MAX } from '../record-text.ts'
import { pageArguments, reads, resourceSchema, text, tool } from '../tool.ts'

const PER_PAGE = 25

/** For the answer around the items. */
const ENVELOPE_TOKENS = 200

export const getTimelineTool = tool({
  name: 'get_timeline',
  title: 'Read what happened around a record',
  description:
    'Notes, tasks, comments, files and changes of a record in one list, newest first, with who did what. ' +
    'Continue with next_cursor.',
  ...reads,
  takes: { resource: resourceSchema, id: idSchema },
  may: {
    kinds: text(`Names joined by commas, of: ${activityKinds.join(', ')}.`),
    cursor: text('The next_cursor of the previous page.'),
    per_page: pageArguments(PER_PAGE).per_page,
  },
  async run(scope, { resource, id, kinds, cursor, per_page = PER_PAGE }) {
    const asked = { record_id: id, kinds, cursor, per_page }
    const { data, included, next_cursor } = await listActivity(scope, resourceIn(scope.schema, resource), asked)
    const names = new Map(included.map((user) => [user.id, String(user.attributes.name)]))
    const items = data.map((item) => shownItem(item, names))
    const some = items.slice(0, countFitting(items))
    return { data: some, next_cursor: some.length < items.length ? (some.at(-1)?.id ?? null) : next_cursor }
  },
})

/** How many items an answer has room for; of a single one that is too long, the texts are cut. */
function countFitting(items: readonly object[]): number {
  let tokens = ENVELOPE_TOKENS
  const end = items.findIndex((item) => {
    tokens += estimateTokens(JSON.stringify(item))
    return tokens > TOKENS_MAX
  })
  return end === -1 ? items.length : Math.max(1, end)
}

function shownItem(item: Activity<ResourceObject>, names: ReadonlyMap<string, string>) {
  const { id, at, kind } = item
  switch (item.kind) {
    case 'notes':
    case 'tasks':
      return { id, at, kind, by: creatorOf(item.record, names), record: recordOf(item.record, names) }
    case 'comments': {
      const { record_id: _record, resource: _resource, ...attributes } = item.comment.attributes
      return { id, at, kind, by: item.creator?.name ?? null, comment: attributes }
    }
    case 'files': {
      const { name, content_type, size } = item.file.attributes
      return { id, at, kind, by: item.creator?.name ?? null, file: { name, content_type, size } }
    }
    default: {
      const { actor, source, action, changes } = item.entry
      const values = changes.map(({ field, before, after }) => ({ field, before, after }))
      const undone = item.undo.by === null ? {} : { undone_by: item.undo.by }
      return { id, at, kind, by: actor?.name ?? null, source, action, changes: values, ...undone }
    }
  }
}

function creatorOf({ relationships = {} }: ResourceObject, names: ReadonlyMap<string, string>): string | null {
  return namesIn(relationships.creator?.data, names)[0] ?? null
}

function recordOf({ id, type, attributes, relationships = {} }: ResourceObject, names: ReadonlyMap<string, string>) {
  const { title, custom_fields } = attributes
  const assignees = namesIn(relationships.assignees?.data, names)
  return { id, type, attributes: { title, custom_fields }, ...(assignees.length > 0 ? { assignees } : {}) }
}

type Linkage = NonNullable<ResourceObject['relationships']>[string]['data']

function namesIn(data: Linkage | undefined, names: ReadonlyMap<string, string>): string[] {
  const linked = Array.isArray(data) ? data : data ? [data] : []
  return linked.flatMap(({ id }) => names.get(id) ?? [])
}
