import { lengthOf } from '@kith/contract/fold'
import type { Report } from '@kith/contract/issue'
import { VIEW_NAME_MAX, VIEW_STATE_MAX_BYTES } from '@kith/contract/limits'
import { isDeep, isObject, NESTING_MAX } from '@kith/contract/raw-input'
import { unstorable } from '@kith/contract/text'

export function parseViewName(raw: string, report: Report): string {
  const name = raw.trim()
  if (name === '' || lengthOf(name) > VIEW_NAME_MAX) {
    report('name', `The name must have 1 to ${VIEW_NAME_MAX} characters.`)
  }
  return name
}

/** As text. Only its size and depth are checked: the content belongs to the application. */
export function parseViewState(raw: unknown, report: Report): string {
  if (!isObject(raw)) {
    report('state', 'The state must be an object.')
    return '{}'
  }
  if (isDeep(raw)) {
    report('state', `The state must not be nested deeper than ${NESTING_MAX} levels.`)
    return '{}'
  }
  const text = JSON.stringify(raw)
  const problem = unstorable(text)
  if (problem !== undefined) report('state', `The state ${problem}.`)
  if (Buffer.byteLength(text) > VIEW_STATE_MAX_BYTES) {
    report('state', `The state must not be larger than ${VIEW_STATE_MAX_BYTES / 1024} KB.`)
  }
  return text
}
