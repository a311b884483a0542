import { excerpt } from '@kith/contract/excerpt'
import type { LidReader } from '@kith/contract/reference-input'
import { idOf, type Lids, type Operation, type Outcome } from './operation.ts'

const LID = /^[A-Za-z0-9_-]{1,64}$/

export const LID_RULE = 'A lid has 1 to 64 of the characters A to Z, a to z, 0 to 9, _ and -.'

export function isLid(raw: unknown): raw is string {
  return typeof raw === 'string' && LID.test(raw)
}

/** Reads the ids of records that earlier operations have named. */
export function readerOf(lids: Lids): LidReader {
  return (lid, path, report) => {
    const id = isLid(lid) ? lids.get(lid) : undefined
    if (typeof id === 'string') return id
    report(path, problemOf(lid, path, id))
    return null
  }
}

function problemOf(lid: unknown, path: string, id: null | undefined): string {
  if (!isLid(lid)) return `The ${path} must name a record by its lid. ${LID_RULE}`
  const named = `The ${path} names the lid ${excerpt(lid)}`
  if (id === null) return `${named}, but the operation with this lid failed.`
  return `${named}, but no operation before this one has it.`
}

/** Notes what became of the records of the first operations. */
export function noteLids(lids: Lids, operations: readonly Operation[], outcomes: readonly Outcome[]): void {
  for (const [index, outcome] of outcomes.entries()) {
    const lid = operations[index]?.lid
    if (lid !== undefined) lids.set(lid, idOf(outcome))
  }
}

/** The lids that the data and the id of an operation name. */
export function lidsIn({ id, data }: Operation): Set<string> {
  const found = new Set<string>()
  const look = (raw: unknown) => {
    if (typeof raw === 'object' && raw !== null && 'lid' in raw && typeof raw.lid === 'string') found.add(raw.lid)
  }
  look(id)
  if (typeof data !== 'object' || data === null) return found
  // A record is named by an attribute, or by an item of one.
  for (const value of Object.values(data)) {
    look(value)
    if (Array.isArray(value)) value.forEach(look)
  }
  return found
}
