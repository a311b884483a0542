import { MERGE_MAX, PER_PAGE_MAX, RESTORE_DAYS } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { type Resource, resourceNames } from '@kith/contract/resource'
import { namedSchema } from './body-schemas.ts'
import { pageOf } from './record-schemas.ts'
import { closed, constant, enumOf, is, oneOf, orNull, ref, type Schema, says } from './schema.ts'

/** Merges and the trash. */
export function mergeSchemas(): Record<string, Schema> {
  return {
    ...objectsOf('Merge', 'merges', {
      resource,
      winner_id: says(ref('Id'), 'The record that the others became.'),
      loser_ids: { type: 'array', items: ref('Id'), minItems: 1, maxItems: MERGE_MAX - 1 },
      merged_at: ref('Timestamp'),
      merged_by: says(orNull(ref('Id')), 'The user. Null for the command line.'),
      undone_at: orNull(ref('Timestamp')),
      undoable_until: ref('Timestamp'),
    }),
    ...objectsOf('SearchResult', 'search_results', {
      resource,
      name: says(is.text, 'The name or title of the record. Its ID is that of this object.'),
      detail: says(is.textOrNull, 'What distinguishes it: the address or number that matches, its company, a stage.'),
      created_at: ref('Timestamp'),
    }),
    ...objectsOf('Trashed', 'trash', {
      resource,
      name: says(is.text, 'The name or title of the record. Its ID is that of this object.'),
      deleted_at: ref('Timestamp'),
      deleted_by: says(orNull(ref('Id')), 'The user. Null if there is none.'),
      restorable_until: says(ref('Timestamp'), `${RESTORE_DAYS} days after the deletion.`),
      merged_into: says(orNull(ref('Id')), 'The record that it was merged into. To restore it undoes that merge.'),
    }),
    ...objectsOf('Duplicate', 'duplicates', {
      certainty: enumOf(['certain', 'likely']),
      field: says(is.text, 'The code of the field, or `name`.'),
      value: { type: ['string', 'number'], description: 'As the oldest record spells it.' },
      count: { type: 'integer', minimum: 2, description: 'How many records have it.' },
      record_ids: {
        type: 'array',
        items: ref('Id'),
        minItems: 2,
        maxItems: MERGE_MAX,
        description: 'The records, oldest first, as many as can be merged at once.',
      },
    }),
    History: closed({
      id: says(ref('Id'), 'The ID of the change in the feed, if it has one.'),
      type: constant('history'),
      attributes: closed({
        record_id: says(ref('Id'), 'Another record if that was merged into this one.'),
        at: ref('Timestamp'),
        action: enumOf(['create', 'update', 'delete', 'restore', 'merge', 'undo_merge']),
        origin: closed({
          source: enumOf(['web', 'api', 'mcp', 'import', 'cli', 'sample']),
          actor_id: orNull(ref('Id')),
          token_id: orNull(ref('Id')),
          own: says(is.flag, 'Whether the token of the request made the change.'),
        }),
        actor_name: is.textOrNull,
        token_name: is.textOrNull,
        changes: {
          type: 'array',
          items: closed({
            field: is.text,
            label: is.text,
            before: { description: 'Of lists of links: the IDs that were removed.' },
            after: { description: 'Of lists of links: the IDs that were added.' },
            truncated: says(is.flag, 'Whether a part of a value was cut off.'),
          }),
        },
      }),
    }),
    HistoryList: closed({
      data: { type: 'array', items: ref('History'), maxItems: PER_PAGE_MAX },
      links: ref('CursorLinks'),
      meta: ref('CursorMeta'),
    }),
    AnyDocument: { anyOf: Object.values(registry).map(({ type }) => ref(`${oneOf(type)}Document`)) },
    ...Object.fromEntries(Object.values(registry).flatMap(mergeOf)),
  }
}

const resource = enumOf(resourceNames)

/** The schemas of objects of one type, and of a page of them. */
function objectsOf(name: string, type: string, attributes: Readonly<Record<string, Schema>>): Record<string, Schema> {
  return {
    [name]: closed({ id: is.text, type: constant(type), attributes: closed(attributes) }),
    [`${name}List`]: pageOf(name),
  }
}

function mergeOf({ type }: Resource): [string, Schema][] {
  const one = oneOf(type)
  const body = closed(
    {
      loser_ids: {
        type: 'array',
        items: namedSchema(type),
        minItems: 1,
        maxItems: MERGE_MAX - 1,
        description: 'The records that become part of the one in the path. They are deleted.',
      },
      attributes: says(
        orNull(ref(`${one}Update`)),
        'What the winner gets instead of what the merge would choose, as in an update.',
      ),
    },
    { required: ['loser_ids'] },
  )
  return [
    [`${one}Merge`, body],
    [`${one}Merged`, closed({ data: ref(one), meta: closed({ merge_id: ref('Id') }) })],
  ]
}
