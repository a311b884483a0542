import { feedResources, storedKinds } from '@kith/contract/changes/change-kind'
import type { ChangesQuery } from '@kith/contract/changes/parse-changes'
import type { Definitions } from '@kith/contract/field-definition'
import { CHANGES_MAX_BYTES } from '@kith/contract/limits'
import { externalIdsOf } from '../records/external-ids.ts'
import type { Scope } from '../scope/scope.ts'
import { type EntryTexts, type FeedHead, loadEntries } from '../storage/tables/changes.ts'
import type { Entry } from './entry.ts'
import { presentChanges } from './present-changes.ts'

export type Reading = { query: ChangesQuery; head: FeedHead; definitions: Definitions; stream: boolean }

type Live = {
  /** JSON texts: of one entry each in a stream, else of any number. */
  texts: string[]
  /** In a stream: the number of each. */
  positions: number[]
  /** Up to which number entries were looked for. */
  until: number
}

/** The next entries for a reader, after a number. */
export async function readLive(inside: Scope, after: number, reading: Reading): Promise<Live> {
  const { thin, filter, changed, compact } = reading.query
  const isPlain = thin && !filter && !changed && !compact && !reading.stream
  return (isPlain && (await readTexts(inside, after, reading))) || readEntries(inside, after, reading)
}

/** Thin entries as the database writes them; undefined if they are too long for a response. */
async function readTexts(inside: Scope, after: number, reading: Reading): Promise<Live | undefined> {
  const texts: string[] = []
  const until = await search(inside, { ...reading, after }, async (found) => {
    if (found.count > 0) texts.push(await withExternalIds(inside, found))
    return found
  })
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), ENVELOPE_BYTES)
  return bytes > CHANGES_MAX_BYTES ? undefined : { texts, positions: [], until }
}

/** The entries with the external ids that their records have now. Those of records that are gone are there already. */
async function withExternalIds(inside: Scope, { text, has_external_ids }: EntryTexts): Promise<string> {
  if (!has_external_ids) return text
  const ids = new Set(Array.from(text.matchAll(EXTERNAL_IDS), ([, id = '']) => id))
  const current = await externalIdsOf(inside, [...ids])
  return text.replace(EXTERNAL_IDS, (whole, id: string, between: string) => {
    const own = current.get(id)
    return own ? `"record_id":"${id}"${between}${JSON.stringify(own)},"origin":{` : whole
  })
}

/** A record and its external ids. The quotes inside of them are escaped, so that the end is found. */
const EXTERNAL_IDS = /"record_id":"(\w+)"([^{]*"external_ids":).*?,"origin":\{/g

async function readEntries(inside: Scope, after: number, reading: Reading): Promise<Live> {
  const { query, definitions } = reading
  const entries: Entry[] = []
  const looked = await search(inside, { ...reading, after }, async ({ text, until }) => {
    // loadEntries wrote it.
    const changes = JSON.parse(`[${text}]`) as Entry[]
    const { entries: some, covered } = await presentChanges(inside, changes, { ...query, definitions })
    entries.push(...some)
    const last = covered < changes.length ? changes[covered - 1]?.attributes.sequence : undefined
    return { count: some.length, until: last ?? until }
  })
  const texts = withinBytes(entries)
  const shown = entries.slice(0, texts.length)
  const positions = shown.map(({ attributes }) => attributes.sequence ?? after)
  const until = texts.length < entries.length ? (positions.at(-1) ?? after) : looked
  return { texts: query.compact ? folded(shown).map((entry) => JSON.stringify(entry)) : texts, positions, until }
}

/** How often further changes are read because those before are not for this reader. */
const ROUNDS = 10

type Used = { count: number; until: number }

/** Reads changes until there are enough of them, and returns up to which number. `use` returns how many it took. */
async function search(
  inside: Scope,
  { query, head, after }: Pick<Reading, 'query' | 'head'> & { after: number },
  use: (found: EntryTexts) => Promise<Used>,
): Promise<number> {
  let [until, count] = [after, 0]
  for (let round = 0; round < ROUNDS && count < query.limit && until < head.sequence; round++) {
    const found = await loadEntries(inside, { ...partOf(query), head, after: until, limit: query.limit - count })
    const used = await use(found)
    count += used.count
    until = used.until
    if (used.until < found.until) break
  }
  return until
}

function partOf({ resources, kinds, excludes_own }: ChangesQuery) {
  return {
    resources: resources.length === feedResources.length ? undefined : resources,
    kinds: kinds.length === storedKinds.length ? undefined : kinds,
    excludes_own,
  }
}

/** What surrounds the entries of a response: `data`, `meta` and a cursor of at most 512 characters. */
const ENVELOPE_BYTES = 1024

/** The texts of as many entries as fit into a response, and of at least one. */
export function withinBytes(entries: readonly Entry[]): string[] {
  const texts: string[] = []
  let bytes = ENVELOPE_BYTES
  for (const entry of entries) {
    const text = JSON.stringify(entry)
    bytes += Buffer.byteLength(text) + 1
    if (bytes > CHANGES_MAX_BYTES && texts.length > 0) break
    texts.push(text)
  }
  return texts
}

/** Folds the entries of each record into the last of them, whose kind then describes the whole range. */
function folded(entries: readonly Entry[]): Entry[] {
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
