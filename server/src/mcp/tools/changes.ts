import { recordParts, storedKinds } from '@kith/contract/changes/change-kind'
import { excerpt } from '@kith/contract/excerpt'
import { ME } from '@kith/contract/filter'
import { parseId } from '@kith/contract/id'
import { type Issue, reportInto } from '@kith/contract/issue'
import { RESTORE_DAYS, TOOL_BATCH_MAX } from '@kith/contract/limits'
import { isUnsent } from '@kith/contract/raw-input'
import { refuseIfAny, refuseValue } from '@kith/contract/refusal'
import * as is from '@kith/contract/shape'
import { listMembers } from '../../accounts/members.ts'
import { inChunkTurn } from '../../batch/run-batch.ts'
import { listChanges } from '../../changes/feed.ts'
import { listLatestChanges, withActorNames } from '../../changes/latest-changes.ts'
import type { Entry } from '../../changes/read-part.ts'
import { type FoundChange, findChanges } from '../../changes/undo/found-change.ts'
import { abilitiesOf, askedUndos, undoChanges, undoDocument } from '../../changes/undo/undo-changes.ts'
import type { RawParameters } from '../../records/expected.ts'
import { requireAbilities } from '../../scope/permissions.ts'
import type { Scope } from '../../scope/scope.ts'
import { overwrites, parametersIn, reads, type ToolInput, text, tool } from '../tool.ts'

const parameters = ['cursor', 'since', 'resource', 'kind', 'payload', 'limit']

const LIMIT = 50

export const listChangesTool = tool({
  name: 'list_changes',
  title: 'List changes',
  description:
    'What changed since a time or cursor, with the values before: oldest first, each record once. With own, actor or ' +
    'newest_first: every single change, newest first; undo_changes takes the ids of own ones. Continue with ' +
    'next_cursor while has_more.',
  ...reads,
  takes: {},
  may: {
    since: text('A time, such as 2026-11-14T09:00:00Z. Or send cursor.'),
    cursor: text('The next_cursor of an earlier call, or now.'),
    own: is.flag('Only what you changed with this access.'),
    actor: text('Only what this member changed: an ID, an email address or me.'),
    newest_first: is.flag('Newest first; needs no since.'),
    resource: text('Names joined by commas: of resources, or custom_fields, schemas, users. All records unless sent.'),
    sample: is.flag('Sample data, too.'),
    kind: text(`Names joined by commas, of: ${storedKinds.join(', ')}.`),
    payload: text('diff (unless sent): values before and after, and names; full: whole records; thin: neither.'),
    limit: is.given({ type: 'integer', description: `1 to 1,000; ${LIMIT} by default.` }),
  },
  async run(scope, input) {
    const { resource, payload = 'diff', limit, ...sent } = parametersIn(input, parameters).raw
    const everyRecord = [...scope.schema.keys(), ...recordParts].join(',')
    const raw = { ...sent, payload, limit: limit ?? LIMIT, resource: resource ?? everyRecord }
    const { entries, ...meta } = await readChanges(scope, input, raw)
    const shown = payload === 'diff' ? entries.map((entry) => withName(scope, entry)) : entries
    return { data: await withActorNames(scope, shown), ...meta }
  },
})

async function readChanges(scope: Scope, input: ToolInput, raw: RawParameters['raw']) {
  const own = input.own === true
  const actor_id = isUnsent(input.actor) ? undefined : await findActor(scope, String(input.actor))
  const excludes_sample = input.sample !== true
  if (own || actor_id !== undefined || input.newest_first === true) {
    if (input.newest_first === false) {
      refuseValue('newest_first', 'Changes of own and of an actor are listed newest first. Leave newest_first out.')
    }
    const { entries, next_cursor } = await listLatestChanges(scope, {
      raw,
      own,
      actor_id,
      excludes_sample,
      resync: RESYNC,
    })
    return { entries, next_cursor, has_more: next_cursor !== null }
  }
  const asked = { raw: { ...raw, compact: 'true' }, loose: false, issues: [] }
  const { entries, meta } = await listChanges(scope, { asked, resync: RESYNC, excludes_sample })
  const { next_cursor, has_more } = meta
  // The entries are JSON texts of entries.
  return { entries: JSON.parse(`[${entries.join(',')}]`) as Entry[], next_cursor, has_more }
}

async function findActor(scope: Scope, sent: string): Promise<string> {
  if (sent === ME) return scope.actor.user_id
  const id = parseId(sent)
  if (id !== undefined) return id
  const member = (await listMembers(scope)).find(({ email }) => email === sent.trim().toLowerCase())
  const message =
    `No member has the email address ${excerpt(sent)}. Send the ID of a member, an email address or me; list_members ` +
    'finds members.'
  return member?.user_id ?? refuseValue('actor', message)
}

/** An entry with the name of its record instead of the whole record. */
function withName({ schema }: Scope, entry: Entry): Entry {
  const { record } = entry.attributes
  if (!record) return entry
  const { id, type, attributes } = record
  const name = schema.get(type)?.label ?? 'name'
  const named = { id, type, attributes: { [name]: (attributes as Record<string, unknown>)[name] } }
  return { ...entry, attributes: { ...entry.attributes, record: named } }
}

/** How to start again: a tool has no address. */
const RESYNC = 'list_changes with cursor: "start"'

const ids = is.given<readonly string[]>({
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  maxItems: TOOL_BATCH_MAX,
  description: 'Of changes, as in record_history and list_changes.',
})

export const undoChangesTool = tool({
  name: 'undo_changes',
  title: 'Undo own changes',
  description:
    `Takes back up to ${TOOL_BATCH_MAX} changes that you made within ${RESTORE_DAYS} days, the latest first: those with ids, or ` +
    'all since a time. A value that was changed again stays. It only checks, unless dry_run is false.',
  annotations: overwrites,
  abilities: ['update'],
  counted: 'ids',
  takes: {},
  may: {
    ids,
    since: text('A time, such as 2026-11-14T09:00:00Z, instead of ids.'),
    dry_run: is.flag('True unless sent: it only checks.'),
  },
  async run(scope, { ids, since, ...input }) {
    const dry_run = input.dry_run ?? true
    const named = ids ?? undefined
    if ((named === undefined) === ((since ?? undefined) === undefined)) refuseValue('ids', 'Send either ids or since.')
    const asked = await askedUndos(scope, named ? { ids: named, dry_run } : { own: true, since, dry_run }, [])
    if (asked.ids.length > TOOL_BATCH_MAX) {
      const path = named ? 'ids' : 'since'
      refuseValue(path, `There are ${asked.ids.length} changes. At most ${TOOL_BATCH_MAX} are undone at a time.`)
    }
    const changes = await findChanges(scope, asked.ids)
    refuseForeign(scope, [...changes.values()])
    requireAbilities(scope, abilitiesOf(changes.values()))
    return undoDocument(await inChunkTurn(scope, () => undoChanges(scope, asked)), asked)
  },
})

/** An agent only takes back what it did itself. */
function refuseForeign({ actor }: Scope, changes: readonly FoundChange[]): void {
  const issues: Issue[] = []
  const report = reportInto(issues)
  for (const { id, row } of changes) {
    if (row.token_id === actor.token_id) continue
    report('ids', `The change ${id} was not made by you. Only your own changes can be undone with this tool.`)
  }
  refuseIfAny(issues)
}
