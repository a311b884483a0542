import { type Call, type History, isDone, labelOf, type Shown, shownBy, told } from './history.ts'
import { changesTo, tokensOf } from './record-history.ts'

/** A version of a record that an answer shows. It was current at some moment of the call. */
type Sight = { version: string; content: string; label: string; call: Call }

/**
 * Each record is a register, and linearizable.
 *
 * Every effective write gives the record a later `updated_at`, so `updated_at` names its versions and orders them. The
 * history is linearizable if each version can be given a period, one after the other, such that every call that shows a
 * version overlaps its period.
 *
 * The check: no call that shows a later version ends before a call that shows an earlier one starts. It is necessary,
 * because such a pair shows the record going back. It is sufficient: let the period of each version begin at the latest
 * start of the calls that show earlier versions. Then each call starts before the period of its version ends, and, by
 * the check, ends after it began. So comparing calls in pairs is enough, whatever process answered them.
 */
export function checkRegisters(history: History): string[] {
  const tokens = tokensOf(history)
  return [...sightsOf(history)].flatMap(([id, sights]) => {
    const problems = [...contentProblems(sights), ...orderProblems(sights), ...tokenProblems(sights, tokens)]
    return problems.length === 0
      ? []
      : [[`Record ${id}:`, ...problems, ...changesTo(history, id).map(told)].join('\n  ')]
  })
}

export function sightsOf({ calls }: History): Map<string, Sight[]> {
  const sights = new Map<string, Sight[]>()
  for (const call of calls) {
    for (const record of shownBy(call)) sights.set(record.id, [...(sights.get(record.id) ?? []), sightOf(record, call)])
  }
  return sights
}

/** References are left out: one to a deleted record is shown as null without a new version. */
function sightOf(record: Shown, call: Call): Sight {
  const { updated_at, custom_fields } = record.attributes
  const label = labelOf(record)
  return { version: updated_at, content: JSON.stringify([label, custom_fields]), label, call }
}

/** One version has one content. Two writes that got the same time would break this as well. */
function contentProblems(sights: readonly Sight[]): string[] {
  return [...Map.groupBy(sights, ({ version }) => version)].flatMap(([version, same]) => {
    const other = same.find(({ content }) => content !== same[0]?.content)
    if (!other || !same[0]) return []
    const [one, two] = [same[0], other].map(({ content, call }) => `${content} in #${call.number}`)
    return [`The version ${version} is ${one} and ${two}.`]
  })
}

/** No call shows an earlier version than one that ended before it started. */
function orderProblems(sights: readonly Sight[]): string[] {
  const byEnd = sights.toSorted((one, other) => one.call.end - other.call.end)
  const problems: string[] = []
  let ended = 0
  let latest: Sight | undefined
  for (const sight of sights.toSorted((one, other) => one.call.start - other.call.start)) {
    for (let next = byEnd[ended]; next && next.call.end < sight.call.start; next = byEnd[++ended]) {
      if (!latest || next.version > latest.version) latest = next
    }
    if (latest && sight.version < latest.version) {
      const [now, before] = [sight, latest].map(({ version, label, call }) => `${version} (${label}) in ${told(call)}`)
      problems.push(`The record goes back to ${now}, after ${before}.`)
    }
  }
  return problems
}

/** A label was written by a call that had started, and was not refused. */
function tokenProblems(sights: readonly Sight[], tokens: ReadonlyMap<string, Call>): string[] {
  return sights.flatMap(({ label, call }) => {
    const writer = tokens.get(label)
    if (!writer) return [`${told(call)} shows the label ${label}, which no call wrote.`]
    if (!isDone(writer)) return [`${told(call)} shows the label of the refused call ${told(writer)}.`]
    return writer.start > call.end ? [`${told(call)} shows the label of ${told(writer)}, which started later.`] : []
  })
}
