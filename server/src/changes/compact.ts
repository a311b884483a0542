import type { Entry } from './entry.ts'

/** Folds the entries of each record into the last of them, whose kind then describes the whole range. */
export function folded(entries: readonly Entry[]): Entry[] {
  const byRecord = Map.groupBy(entries, ({ attributes }) => `${attributes.resource} ${attributes.record_id}`)
  return entries.flatMap((entry) => {
    const { resource, record_id } = entry.attributes
    const own = byRecord.get(`${resource} ${record_id}`) ?? []
    if (own.at(-1) !== entry) return []
    return [own.length === 1 ? entry : foldedInto(entry, own)]
  })
}

function foldedInto(last: Entry, own: readonly Entry[]): Entry {
  const first = own[0]?.attributes.kind
  const { kind } = last.attributes
  const isAbsentAfter = kind === 'deleted' || kind === 'merged' || kind === 'left'
  const isAbsentBefore = first === 'created' || first === 'restored'
  const changed = [...new Set(own.flatMap(({ attributes }) => attributes.changed))].sort()
  const folded = isAbsentAfter ? kind : isAbsentBefore ? first : 'updated'
  return { ...last, attributes: { ...last.attributes, kind: folded, changed } }
}
