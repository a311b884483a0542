import { parseId } from '@kith/contract/id'
import { MOMENT_FORMS, parseMoment } from '@kith/contract/moment'
import { isObject } from '@kith/contract/raw-input'
import { type Fields, readInput } from '../scope/read-input.ts'

/** Which events are sent again. */
export type WantedReplay =
  | { event_id: string }
  | { from_sequence: number; to_sequence: number }
  | { since: string; until: string }
  | { only: 'failed' }

const FORMS = 'Send one of: {event_id}, {from_sequence, to_sequence}, {since, until}, {only: "failed"}.'

export function parseReplay(body: unknown): WantedReplay {
  return readInput(body, (fields) => {
    const has = (key: string) => {
      fields.raw(key)
      return isObject(body) && Object.hasOwn(body, key)
    }
    const forms = [
      has('event_id'),
      [has('from_sequence'), has('to_sequence')].includes(true),
      [has('since'), has('until')].includes(true),
      has('only'),
    ]
    if (forms.filter(Boolean).length !== 1)
      fields.report('body', `The body names no events, or names them twice. ${FORMS}`)
    else if (forms[0]) return { event_id: eventId(fields) }
    else if (forms[1]) return sequences(fields)
    else if (forms[2]) return times(fields)
    else if (fields.raw('only') !== 'failed') fields.report('only', 'The only must be failed.')
    return { only: 'failed' }
  })
}

function eventId({ raw, report }: Fields): string {
  const id = parseId(raw('event_id'))
  if (id === undefined) report('event_id', 'The event_id must be the ID of an event, as webhook-id shows it.')
  return id ?? ''
}

function sequences({ raw, report }: Fields) {
  const read = (key: string): number => {
    const value = raw(key)
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
    report(key, `The ${key} must be a sequence: a whole number from 1. Both ends of the range are required.`)
    return 0
  }
  const range = { from_sequence: read('from_sequence'), to_sequence: read('to_sequence') }
  if (range.to_sequence > 0 && range.to_sequence < range.from_sequence) {
    report('to_sequence', 'The to_sequence must not be lower than the from_sequence.')
  }
  return range
}

function times({ raw, report }: Fields) {
  const read = (key: string): string => {
    const value = raw(key)
    const moment = typeof value === 'string' ? parseMoment(value) : undefined
    if (moment === undefined) report(key, `The ${key} must be ${MOMENT_FORMS}. Both since and until are required.`)
    return moment ?? ''
  }
  const range = { since: read('since'), until: read('until') }
  if (range.since !== '' && range.until !== '' && range.until < range.since) {
    report('until', 'The until must not be before the since.')
  }
  return range
}
