import { flag, given, id, list, object, orNull, type Shown, type TypeOf, text, time } from './shape.ts'

const sources = ['web', 'api', 'mcp', 'import', 'cli', 'sample']
const actions = ['create', 'update', 'delete', 'restore', 'merge', 'undo_merge']

/** Where a change comes from. */
export const origin = object({
  source: given<string>({ type: 'string', enum: sources }),
  actor_id: orNull(id()),
  token_id: orNull(id()),
  own: flag('Whether the token of the request made the change.'),
})
export type Origin = TypeOf<typeof origin>

/** One changed value. References are shown with the names of their records, as far as known. */
const change = object({
  field: text(),
  label: text(),
  before: given({ description: 'Of lists of links: the IDs that were removed.' }),
  after: given({ description: 'Of lists of links: the IDs that were added.' }),
  truncated: flag('Whether a part of a value was cut off.'),
})
export type AuditedChange = TypeOf<typeof change>

/** One change of a record. */
export const historyEntry = {
  record_id: id('Another record if that was merged into this one.'),
  at: time(),
  action: given<string>({ type: 'string', enum: actions }),
  origin,
  actor_name: orNull(text()),
  token_name: orNull(text()),
  changes: list(change),
} as const

export type HistoryEntry = Shown<typeof historyEntry>
