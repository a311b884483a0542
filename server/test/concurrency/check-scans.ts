import { type Call, dataOf, isDone } from './history.ts'
import { removes } from './record-history.ts'
import type { RandomRun } from './world.ts'

/** A scan by cursor shows each record that is there throughout exactly once, and no record twice. */
export function checkScans({ history }: RandomRun): string[] {
  const scans = Map.groupBy(history.calls, ({ deed }) => (deed.kind === 'scan' ? deed.scan : ''))
  scans.delete('')
  return [...scans].flatMap(([name, pages]) => {
    const ended = pages.every(isDone) && pages.at(-1)?.answer.body.meta.next_cursor === null
    return ended ? scanProblems(history.calls, name, pages) : []
  })
}

function scanProblems(calls: readonly Call[], name: string, pages: readonly Call[]): string[] {
  const [start, end] = [Math.min(...pages.map((page) => page.start)), Math.max(...pages.map((page) => page.end))]
  const ids = pages.flatMap((page) => dataOf(page).map((row) => row.id))
  const twice = ids.filter((id, index) => ids.indexOf(id) < index)
  const missed = throughout(calls, pages, { start, end }).filter((id) => !ids.includes(id))
  const numbers = pages.map(({ number }) => `#${number}`).join(' ')
  return [
    ...twice.map((id) => `The scan ${name} shows ${id} twice: ${numbers}.`),
    ...missed.map((id) => `The scan ${name} misses ${id}, which was there throughout: ${numbers}.`),
  ]
}

/** Records that were made before the scan, and that no call that started before its end takes away. */
function throughout(
  calls: readonly Call[],
  pages: readonly Call[],
  { start, end }: { start: number; end: number },
): string[] {
  const [page] = pages
  const type = page?.deed.kind === 'scan' ? page.deed.type : ''
  return calls
    .filter((call) => call.answer.status === 201 && call.end < start && 'type' in call.deed && call.deed.type === type)
    .map((call): string => call.answer.body.data.id)
    .filter((id) => !calls.some((call) => removes(call, id) && call.start < end))
}
