import { PER_PAGE_MAX } from './limits.ts'
import * as is from './shape.ts'

const sources = ['web', 'api', 'mcp', 'import', 'cli', 'sample']
const actions = ['create', 'update', 'delete', 'restore', 'merge', 'undo_merge', 'undone']

/** Where a change comes from. */
export const origin = is.object({
  source: is.given<string>({ type: 'string', enum: sources }),
  actor_id: is.orNull(is.id()),
  token_id: is.orNull(is.id()),
  own: is.flag('Whether the token of the request made the change.'),
})

const values = {
  before: is.given({ description: 'Of lists of links: the IDs that were removed.' }),
  after: is.given({ description: 'Of lists of links: the IDs that were added.' }),
  truncated: is.flag('Whether a part of a value was cut off.'),
} as const

/** One changed value in the changes feed. */
export const valueChange = is.object({ field: is.text(), ...values })
export type ValueChange = is.TypeOf<typeof valueChange>

/** One changed value. References are shown with the names of their records, as far as known. */
const change = is.object({ field: is.text(), label: is.text(), ...values })
export type AuditedChange = is.TypeOf<typeof change>

/** One change of a record. */
const historyEntry = {
  record_id: is.id('Another record if that was merged into this one.'),
  at: is.time(),
  action: is.given<string>({ type: 'string', enum: actions }),
  undo_of: is.maybe(is.id('Only if the action is `undone`: the change that was undone.')),
  origin,
  actor_name: is.orNull(is.text()),
  token_name: is.orNull(is.text()),
  changes: is.list(change),
} as const

export type HistoryEntry = is.Shown<typeof historyEntry>

const ids = is.named('Id', 'The ID of the change in the feed, if it has one.')

export const historyComponents = {
  ...is.noun('History', 'history', { shown: historyEntry, ids }),
  HistoryList: is.closed({
    data: is.listSchema('History', PER_PAGE_MAX),
    links: is.named('CursorLinks'),
    meta: is.named('CursorMeta'),
  }),
}
