import { parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { MERGE_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { notOne } from '@kith/contract/reference-input'
import type { Resource } from '@kith/contract/resource'
import { parseSent } from '../../fields/sent.ts'

/** The records to merge into a winner. `attributes` is the body of an update: what it gets instead of the default. */
type MergeInput = { losers: Map<string, number>; attributes: Record<string, unknown> }

/** Parses the body of a merge. Invalid parts are reported and left empty. */
export function parseMerge(
  body: unknown,
  context: { winner_id: string; resource: Resource },
  report: Report,
): MergeInput {
  if (!isObject(body)) {
    report('body', 'The request body must be a JSON object.')
    return { losers: new Map(), attributes: {} }
  }
  const sent = parseSent(body, { accepted: ['loser_ids', 'attributes'] }, report)
  return {
    losers: parseLosers(sent.get('loser_ids'), context, report),
    attributes: parseAttributes(sent.get('attributes'), report),
  }
}

/** The ids of the losers, each with its first place in the list. */
function parseLosers(
  raw: unknown,
  { winner_id, resource }: { winner_id: string; resource: Resource },
  report: Report,
): Map<string, number> {
  const losers = new Map<string, number>()
  if (!Array.isArray(raw) || raw.length === 0 || raw.length >= MERGE_MAX) {
    report(
      'loser_ids',
      `The loser_ids must be a list of 1 to ${MERGE_MAX - 1} IDs: at most ${MERGE_MAX} records are merged at once.`,
    )
    return losers
  }
  raw.forEach((item, index) => {
    const id = parseId(item)
    const path = `loser_ids.${index}`
    if (id === undefined) report(path, notOne(path, resource.type))
    else if (id === winner_id) report(path, 'A record cannot be merged into itself.')
    else if (!losers.has(id)) losers.set(id, index)
  })
  return losers
}

function parseAttributes(raw: unknown, report: Report): Record<string, unknown> {
  if (raw === undefined || raw === null) return {}
  if (isObject(raw)) return raw
  report('attributes', 'The attributes must be an object, as in an update.')
  return {}
}
