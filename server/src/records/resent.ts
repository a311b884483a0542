import { isDeepStrictEqual } from 'node:util'
import type { FieldSet } from '@kith/contract/field-definition'
import type { Issue } from '@kith/contract/issue'
import type { StoredRecord } from '../db/records.ts'
import { presentValues } from './present.ts'

/**
 * The problems of a write without those of values that the record shows already. Its fields may have become stricter
 * since the values were stored, and what was read can be sent back all the same. Such values stay as they are.
 */
export function withoutResent(
  issues: Issue[],
  sent: Readonly<Record<string, unknown>>,
  fields: FieldSet,
  current: StoredRecord,
): Issue[] {
  const codes = issues.flatMap(({ path }) => codeIn(path) ?? [])
  if (codes.length === 0) return issues
  const shown: Readonly<Record<string, unknown>> = presentValues(current.custom_fields, fields, undefined)
  // Only an object of values has problems at the path of a code.
  const values = sent.custom_fields as Readonly<Record<string, unknown>>
  const resent = new Set(
    codes.filter((code) => fields.byCode.has(code) && isDeepStrictEqual(values[code], shown[code])),
  )
  return issues.filter(({ path }) => !resent.has(codeIn(path) ?? ''))
}

/** `custom_fields.emails.0` → emails. */
function codeIn(path: string): string | undefined {
  return /^custom_fields\.([a-z0-9_]+)/.exec(path)?.[1]
}
