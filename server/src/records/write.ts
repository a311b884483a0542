import type { Issue } from '@kith/contract/issue'
import type { Match } from '@kith/contract/match'
import type { RecordInput } from '@kith/contract/record-input'
import type { Checked } from './check-input.ts'
import type { Expected } from './expected.ts'
import type { UpsertConditions } from './upsert-conditions.ts'

/** A create, update or upsert. What is wrong with it so far is in its issues. */
export type Write = Pick<Checked, 'report'> & {
  /** Undefined if the body is no object. */
  input: RecordInput | undefined
  issues: Issue[]
} & WriteTarget

type WriteTarget =
  | { op: 'create' }
  /** `sent_id` is the id as it was sent, for messages. */
  | { op: 'update'; id: string; sent_id: string; expected: Expected }
  | { op: 'upsert'; match: Match | undefined; conditions: UpsertConditions }
