import type { Definitions } from '@kith/contract/field-definition'
import type { Report } from '@kith/contract/issue'
import { MERGE_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import type { RecordInput } from '@kith/contract/record-input'
import { parseReference } from '@kith/contract/reference-input'
import type { Resource } from '@kith/contract/resource'
import { parseSent } from '../../fields/sent.ts'

/** The records to merge into a winner. `attributes` is the body of an update: what it gets instead of the default. */
type MergeInput = { named: NamedLosers; attributes: Record<string, unknown> }

/** The losers as they were named, in `links`. Their ids must be looked up where they are named by something else. */
type NamedLosers = Pick<RecordInput, 'lookups' | 'references' | 'links'>

/** Parses the body of a merge. Invalid parts are reported and left empty. */
export function parseMerge(
  body: unknown,
  context: { resource: Resource; definitions: Definitions },
  report: Report,
): MergeInput {
  if (!isObject(body)) {
    report('body', 'The request body must be a JSON object.')
    return { named: noLosers(), attributes: {} }
  }
  const sent = parseSent(body, { accepted: [LOSERS, 'attributes'] }, report)
  return {
    named: parseLosers(sent.get(LOSERS), context, report),
    attributes: parseAttributes(sent.get('attributes'), report),
  }
}

const LOSERS = 'loser_ids'

function noLosers(): NamedLosers {
  return { lookups: [], references: new Map(), links: new Map() }
}

function parseLosers(
  raw: unknown,
  { resource, definitions }: { resource: Resource; definitions: Definitions },
  report: Report,
): NamedLosers {
  const named = noLosers()
  if (!Array.isArray(raw) || raw.length === 0 || raw.length >= MERGE_MAX) {
    report(
      LOSERS,
      `The loser_ids must be a list of 1 to ${MERGE_MAX - 1} IDs: at most ${MERGE_MAX} records are merged at once.`,
    )
    return named
  }
  const ids = raw.map((item, index) => {
    const path = `${LOSERS}.${index}`
    const by = parseReference(item, { to: resource.type, path, definitions }, report)
    if (by === undefined || typeof by === 'string') return by ?? ''
    named.lookups.push({ to: resource.type, path, key: LOSERS, index, by })
    return ''
  })
  named.links.set(LOSERS, ids)
  return named
}

/** The ids of the losers, each with its first place in the list. What is empty is reported already. */
export function losersOf({ links }: NamedLosers, winner_id: string, report: Report): Map<string, number> {
  const losers = new Map<string, number>()
  for (const [index, id] of (links.get(LOSERS) ?? []).entries()) {
    if (id === winner_id) report(`${LOSERS}.${index}`, 'A record cannot be merged into itself.')
    else if (id !== '' && !losers.has(id)) losers.set(id, index)
  }
  return losers
}

function parseAttributes(raw: unknown, report: Report): Record<string, unknown> {
  if (raw === undefined || raw === null) return {}
  if (isObject(raw)) return raw
  report('attributes', 'The attributes must be an object, as in an update.')
  return {}
}
