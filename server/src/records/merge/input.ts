import { parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { MERGE_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { notOne } from '@kith/contract/record-input'
import type { Resource } from '@kith/contract/resource'
import { parseSent } from '../../fields/sent.ts'

/** The records to merge. `attributes` is the body of an update: what the winner gets instead of the default. */
type MergeInput = { winner_id: string; loser_ids: string[]; attributes: Record<string, unknown> }

/** Parses a merge. Invalid parts are reported and left empty. */
export function parseMerge(input: unknown, resource: Resource, report: Report): MergeInput {
  const sent = parseSent(input, { accepted: ['winner_id', 'loser_ids', 'attributes'] }, report)
  const winner_id = parseId(sent.get('winner_id')) ?? ''
  if (winner_id === '') report('winner_id', notOne('winner_id', resource.type))
  return {
    winner_id,
    loser_ids: parseLosers(sent.get('loser_ids'), { winner_id, resource }, report),
    attributes: parseAttributes(sent.get('attributes'), report),
  }
}

function parseLosers(
  raw: unknown,
  { winner_id, resource }: { winner_id: string; resource: Resource },
  report: Report,
): string[] {
  if (!Array.isArray(raw) || raw.length === 0 || raw.length >= MERGE_MAX) {
    report(
      'loser_ids',
      `The loser_ids must be a list of 1 to ${MERGE_MAX - 1} IDs: at most ${MERGE_MAX} records are merged at once.`,
    )
    return []
  }
  const ids = raw.map((item, index) => {
    const id = parseId(item) ?? ''
    if (id === '') report(`loser_ids.${index}`, notOne(`loser_ids.${index}`, resource.type))
    else if (id === winner_id) report(`loser_ids.${index}`, 'A record cannot be merged into itself.')
    return id
  })
  return [...new Set(ids)]
}

function parseAttributes(raw: unknown, report: Report): Record<string, unknown> {
  if (raw === undefined || raw === null) return {}
  if (isObject(raw)) return raw
  report('attributes', 'The attributes must be an object, as in an update.')
  return {}
}
