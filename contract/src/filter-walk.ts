import { type BoundedReport, boundedReport } from './bounded-report.ts'
import { excerpt } from './excerpt.ts'
import type { Definitions } from './field-definition.ts'
import type { Report } from './issue.ts'
import { FILTER_CONDITIONS_MAX } from './limits.ts'
import { suggestion } from './nearest.ts'
import { isObject } from './raw-input.ts'

/** What is the same for every node of a filter while it is read. */
export type Walk = {
  definitions: Definitions
  loose: boolean
  /** The path of the filter itself. */
  root: string
  report: Report
  failed: BoundedReport['failed']
  /** Whether reading on would help nobody. */
  stopped: () => boolean
  /** Counts one more condition and tells whether the filter may have it. */
  count: () => boolean
}

export function filterWalk(definitions: Definitions, loose: boolean, root: string, report: Report): Walk {
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

/** The entries of a node whose keys must be among a few words: operators, mostly. */
export function readWords<Word extends string>(
  raw: unknown,
  node: { name: string; path: string; words: readonly Word[] },
  walk: Walk,
  read: (word: Word, value: unknown, path: string) => void,
): void {
  const { name, path, words } = node
  const keys = isObject(raw) ? Object.keys(raw) : []
  if (!isObject(raw) || keys.length === 0) {
    walk.report(path, `The filter ${name} must be an object with at least one of: ${words.join(', ')}.`)
    return
  }
  for (const key of keys) {
    if (walk.stopped()) return
    const keyPath = `${path}.${excerpt(key)}`
    const word = words.find((candidate) => candidate === key)
    if (word !== undefined) read(word, raw[key], keyPath)
    else walk.report(keyPath, unknownWord(key, name, words))
  }
}

export function unknownWord(key: string, name: string, words: readonly string[]): string {
  return `The filter ${name} does not take ${excerpt(key)}. Accepted: ${words.join(', ')}.${suggestion(key, words)}`
}
