import { type Issue, reportInto } from '@kith/contract/issue'
import { RESTORE_DAYS, TOOL_BATCH_MAX } from '@kith/contract/limits'
import { refuseIfAny, refuseValue } from '@kith/contract/refusal'
import * as is from '@kith/contract/shape'
import { inChunkTurn } from '../../batch/run-batch.ts'
import { type FoundChange, findChanges } from '../../changes/undo/found-change.ts'
import { abilitiesOf, askedUndos, undoChanges, undoDocument } from '../../changes/undo/undo-changes.ts'
import { requireAbilities } from '../../scope/permissions.ts'
import type { Scope } from '../../scope/scope.ts'
import { overwrites, text, tool } from '../tool.ts'

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
    'all since a time. A value that was changed again stays, and its result says why. It only checks, unless dry_run is false.',
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
