import { type BoundedReport, boundedReport } from './bounded-report.ts'
import { excerpt } from './excerpt.ts'
import type { Definitions } from './field-definition.ts'
import type { Report } from './issue.ts'
import { FILTER_CONDITIONS_MAX } from './limits.ts'
import { suggestion } from './nearest.ts'
import { isObject } from './raw-input.ts'

type WalkStart = Pick<Walk, 'definitions' | 'loose' | 'root' | 'report'>

/** What all nodes of a filter share while it is parsed. */
type Walk = {
  definitions: Definitions
  loose: boolean
  /** The path of the filter itself. */
  root: string
  report: Report
  failed: BoundedReport['failed']
  /** Whether enough problems were reported to stop. */
  stopped: () => boolean
  /** Counts one more condition; false if that is more than a filter may have. */
  count: () => boolean
}

/** A node of the filter: its path, and the walk that it is part of. */
export type Spot = { path: string; walk: Walk }

export function filterWalk({ definitions, loose, root, report }: WalkStart): Walk {
  const bounded = boundedReport(report)
  let conditions = 0
  return {
    definitions,
    loose,
    root,
    report: bounded.report,
    failed: bounded.failed,
    stopped: () => conditions > FILTER_CONDITIONS_MAX || bounded.full(),
    count() {
      conditions++
      if (conditions === FILTER_CONDITIONS_MAX + 1) {
        bounded.report(root, `A filter takes at most ${FILTER_CONDITIONS_MAX} conditions, counted at every depth.`)
      }
      return conditions <= FILTER_CONDITIONS_MAX
    },
  }
}

/** The entries of a node whose keys must be among a few words, such as operators. Reports the other keys. */
export function* wordsIn<Word extends string>(
  raw: unknown,
  { name, words }: { name: string; words: readonly Word[] },
  { path, walk }: Spot,
): Generator<{ word: Word; value: unknown; path: string }> {
  const keys = isObject(raw) ? Object.keys(raw) : []
  if (!isObject(raw) || keys.length === 0) {
    walk.report(path, `The filter ${name} must be an object with at least one of: ${words.join(', ')}.`)
    return
  }
  for (const key of keys) {
    if (walk.stopped()) return
    const keyPath = `${path}.${excerpt(key)}`
    const word = words.find((candidate) => candidate === key)
    if (word !== undefined) yield { word, value: raw[key], path: keyPath }
    else walk.report(keyPath, unknownWord(key, name, words))
  }
}

export function unknownWord(key: string, name: string, words: readonly string[]): string {
  return `The filter ${name} does not take ${excerpt(key)}. Accepted: ${words.join(', ')}.${suggestion(key, words)}`
}
