import { ANSWER_MAX_BYTES } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import type { Scope } from '../scope/scope.ts'
import { grouped } from './record-size.ts'

/**
 * Called while a response is loaded and written, with its size so far and the number of complete records. It throws if
 * the request can be refused, and returns false if the rest must be left out instead.
 */
export type Fits = (bytes: number, records?: number) => boolean

type Page = { records: number; include: readonly string[] }

/** For a page of a list. A single record is always returned. */
export function listFits(scope: Scope, { records, include }: Page): Fits {
  if (records <= 1) return readFits(scope, include)
  const max = maxFor(scope)
  return (bytes, complete = Math.floor(records / 2)) => {
    if (bytes <= max) return true
    const fewer = Math.max(1, Math.min(complete, records - 1))
    const reached = `${tooLarge(max, bytes)} before all ${records} records are in it.`
    const advice = `Ask for fewer records (such as per_page=${fewer}), or for fewer attributes of each with fields.`
    return refuse({ kind: 'invalid', issues: [{ path: 'per_page', message: `${reached} ${advice}` }] })
  }
}

/** For a single record with its included records. */
export function readFits(scope: Scope, include: readonly string[]): Fits {
  if (include.length === 0) return () => true
  const max = maxFor(scope)
  return (bytes) => {
    if (bytes <= max) return true
    const reached = `${tooLarge(max, bytes)} before all included records are in it.`
    const advice = 'Include fewer relations, or ask for fewer attributes of the included records with fields.'
    return refuse({ kind: 'invalid', issues: [{ path: 'include', message: `${reached} ${advice}` }] })
  }
}

/** For a write, which can no longer be refused: included records that do not fit are left out. */
export function writeFits(scope: Scope): Fits {
  const max = maxFor(scope)
  return (bytes) => bytes <= max
}

/** The response of a tool has everything twice, once as text inside JSON. */
export const TOOL_ANSWER_MAX_BYTES = Math.floor(ANSWER_MAX_BYTES / 3)

function maxFor({ actor }: Scope): number {
  return actor.source === 'mcp' ? TOOL_ANSWER_MAX_BYTES : ANSWER_MAX_BYTES
}

function tooLarge(max: number, bytes: number): string {
  const limit = `${grouped(max)} bytes (${Math.floor(max / 1024 / 1024)} MiB)`
  return `The response would be larger than ${limit}: it has ${grouped(bytes)} bytes`
}

const UNIT_BYTES_MAX = 3

/** The size in UTF-8. Small texts are not measured. */
export function sizeOf(text: string): number {
  return text.length * UNIT_BYTES_MAX <= TOOL_ANSWER_MAX_BYTES ? text.length : Buffer.byteLength(text)
}

/** Objects as a JSON list, as many as fit after the bytes that are already used. */
export function writeObjects(objects: readonly object[], fits: Fits, before = 0): { text: string; written: number } {
  let text = '['
  for (const [index, object] of objects.entries()) {
    const part = JSON.stringify(object)
    if (!fits(before + text.length + part.length, index)) return { text: `${text}]`, written: index }
    text += index === 0 ? part : `,${part}`
  }
  return { text: `${text}]`, written: objects.length }
}
