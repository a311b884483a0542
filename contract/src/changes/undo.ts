import { origin } from '../history-entry.ts'
import { UNDO_MAX } from '../limits.ts'
import { MOMENT_FORMS, parseMoment } from '../moment.ts'
import { resourceCode } from '../resource-code.ts'
import * as is from '../shape.ts'
import { storedKinds } from './change-kind.ts'

/** A value before and after a change, in full. */
const changedValue = is.object({
  field: is.text(),
  before: is.given({ description: 'Of lists of links: the IDs that were removed.' }),
  after: is.given({ description: 'Of lists of links: the IDs that were added.' }),
})

const idOrCode = is.text({ says: 'An ID, or the code of a resource.' })

/** One change with its values. */
export const loggedChange = {
  kind: is.word(storedKinds),
  resource: resourceCode(),
  record_id: idOrCode,
  at: is.time(),
  changed: is.list(is.text(), { says: 'What an update changed, sorted.' }),
  changes: is.list(changedValue),
  merged_into: is.orNull(is.id(), 'The record that it was merged into.'),
  origin: is.component('ChangeOrigin', origin),
  actor_name: is.orNull(is.text()),
  token_name: is.orNull(is.text()),
  undo_of: is.orNull(is.id(), 'The change that this one has undone.'),
  undone_by: is.orNull(is.id(), 'The change that has undone this one.'),
  cause: is.orNull(is.id(), 'The change that caused this one. Undo that one.'),
} as const

export type LoggedChange = is.Shown<typeof loggedChange>

export const undoOfOne = {
  force: is.or(false, is.flag('Of a `created` change: deletes the record even if it was changed since.')),
} as const

const dry_run = is.or(false, is.flag('Checks everything and writes nothing.'))

const moment = is.checked(
  { type: 'string', format: 'date-time' },
  (raw) => (typeof raw === 'string' ? parseMoment(raw) : undefined),
  `must be ${MOMENT_FORMS}.`,
  '',
)

/** The two bodies of the undo of several changes. */
const undosOfMany = [
  {
    ids: is.list(is.given<string>({ type: 'string' }), { minItems: 1, maxItems: UNDO_MAX, says: 'The changes.' }),
    dry_run,
  },
  {
    own: is.given<true>({ type: 'boolean', const: true, description: 'The changes that the token has made.' }),
    since: moment,
    until: is.orNull(moment, 'Inclusive. Now, unless it is sent.'),
    dry_run,
  },
] as const

/** The period of the changes of a token, for the application. */
export const periodOfMany = { since: undosOfMany[1].since, until: undosOfMany[1].until } as const

/** The keys of both. */
export const undoOfMany = {
  ids: is.maybe(undosOfMany[0].ids),
  own: is.maybe(is.flag()),
  since: is.orNull(moment),
  until: undosOfMany[1].until,
  dry_run,
} as const

const undoResult = {
  id: is.text(),
  resource: is.orNull(resourceCode(), 'Null if the change does not exist.'),
  record_id: is.orNull(idOrCode),
  status: is.given<number>({
    type: 'integer',
    enum: [200, 204, 403, 404, 422],
    description: 'The status of the single request.',
  }),
  message: is.maybe(is.text({ says: 'Why it cannot be undone.' })),
  errors: is.maybe(is.mapOf(is.list(is.text(), { minItems: 1 }), 'Every reason, by its path.')),
} as const

export type UndoResult = is.Shown<typeof undoResult>

const count = is.whole({ to: UNDO_MAX })

const undoMeta = is.object({ total: count, succeeded: count, failed: count, dry_run: is.flag() })
export type UndoMeta = is.TypeOf<typeof undoMeta>

export const undoComponents = {
  ...is.noun('LoggedChange', 'changes', { shown: loggedChange, also: ['Document'] }),
  ChangeUndo: is.sentSchema(undoOfOne, { required: [] }),
  ChangesUndo: { oneOf: undosOfMany.map((shapes) => is.sentSchema(shapes)) },
  UndoResult: is.shownSchema(undoResult),
  UndoResults: is.closed({ data: is.listSchema('UndoResult', UNDO_MAX), meta: undoMeta.schema }),
}
