import { hash } from 'node:crypto'
import type { Presented } from './present.ts'

/** The JSON document of a single record. */
export function recordDocument({ text, includedText, truncated }: Presented, meta: object = {}): string {
  const all = truncated.length > 0 ? { truncated, ...meta } : meta
  const shown = Object.keys(all).length > 0 ? `,"meta":${JSON.stringify(all)}` : ''
  // The record without the brackets of the list that it is alone in.
  return `{"data":${text.slice(1, -1)}${included(includedText)}${shown}}`
}

/** The included records, as a part of a document. */
export function included(text: string | undefined): string {
  return text === undefined ? '' : `,"included":${text}`
}

const DIGITS = 16

/**
 * The strong ETag of a record: when it was last changed, and digits that depend on all of the document. If-Match only
 * compares the time.
 */
export function recordTag({ updated_at }: Pick<Presented, 'updated_at'>, document: string): string {
  return `"${updated_at}~${hash('sha256', document, 'hex').slice(0, DIGITS)}"`
}
