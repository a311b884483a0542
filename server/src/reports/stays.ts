/** The time that a record was in a stage. `to` is null while it is there. Times are in milliseconds. */
export type Stay = {
  option: string | null
  from: number
  to: number | null /** It began before `from`. */
  earlier: boolean
}

/** A change of the stage of a record. */
export type Move = { at: number; before: string | null; after: string | null }

/**
 * The stays of a record, from its creation on. `moves` are the changes of its stage that the history still has, in
 * their order, and `since` is where the history begins.
 */
export function staysOf(
  record: { created: number; option: string | null },
  { moves, since }: { moves: readonly Move[]; since: number },
): Stay[] {
  const stays: Stay[] = []
  const earlier = record.created < since
  let stay: Stay = {
    option: moves[0] ? moves[0].before : record.option,
    from: Math.max(record.created, since),
    to: null,
    earlier,
  }
  for (const { at, after } of moves) {
    if (after === stay.option) continue
    stays.push({ ...stay, to: at })
    stay = { option: after, from: at, to: null, earlier: false }
  }
  return [...stays, stay]
}

/** Won, lost, or neither. */
export type Outcome = 'won' | 'lost' | undefined

/**
 * How a record has ended, if it has, and since when. A move from one option to another one with the same outcome does
 * not end it again.
 */
export function closing(
  stays: readonly Stay[],
  outcomeOf: (option: string | null) => Outcome,
): { outcome: 'won' | 'lost'; at: number | null } | undefined {
  const last = stays.at(-1)
  const outcome = last && outcomeOf(last.option)
  if (!last || !outcome) return undefined
  const before = stays.findLastIndex((stay) => outcomeOf(stay.option) !== outcome)
  const first = stays[before + 1] ?? last
  return { outcome, at: first.earlier ? null : first.from }
}

const DECIMALS = 100

/** The middle and the mean, rounded to hundredths; null of nothing. */
export function middleOf(days: readonly number[]): { median: number | null; average: number | null } {
  if (days.length === 0) return { median: null, average: null }
  const sorted = days.toSorted((one, other) => one - other)
  const half = sorted.length >> 1
  const [upper = 0, lower = 0] = [sorted[half], sorted[sorted.length % 2 === 1 ? half : half - 1]]
  const sum = sorted.reduce((total, one) => total + one, 0)
  return { median: rounded((lower + upper) / 2), average: rounded(sum / sorted.length) }
}

function rounded(days: number): number {
  return Math.round(days * DECIMALS) / DECIMALS
}
