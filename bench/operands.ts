import { companyKinds, companyWords } from '../server/src/sample/words.ts'

/** The same numbers in every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Different parts of company names, each in about this share of all names. A name is two words and a kind. */
export function partsOfNames(share: number, count: number): string[] {
  const random = randomNumbers(7)
  const any = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)]
  const names = companyWords.flatMap((one) => companyWords.map((two) => `${one} ${two}`.toLowerCase()))
  const kinds = companyKinds.map((kind) => ` ${kind}`.toLowerCase())
  const found = new Set<string>()
  // If two words match too many names, add the beginning of the kind.
  for (let tries = 0; share < 1 / names.length && found.size < count && tries < 40_000; tries++) {
    const start = (any(kinds) ?? '').slice(0, 2 + Math.floor(random() * 4))
    const ratio = kinds.filter((kind) => kind.startsWith(start)).length / (kinds.length * names.length) / share
    if (start.trimEnd() === start && ratio > 0.6 && ratio < 1.6) found.add(`${any(names)}${start}`)
  }
  for (let tries = 0; found.size < count && tries < 4000; tries++) {
    const name = `${any(names)}${any(kinds)}`
    const from = Math.floor(random() * (name.length - 3))
    const part = name.slice(from, from + 1 + Math.floor(random() * lengthMax(share)))
    const ratio = shareOf(part, names, kinds) / share
    if (part.trim() === part && ratio > 0.6 && ratio < 1.6) found.add(part)
  }
  return [...found]
}

/** Narrow parts are long ones. */
function lengthMax(share: number): number {
  return share > 0.2 ? 3 : share > 0.001 ? 7 : 20
}

function shareOf(part: string, names: readonly string[], kinds: readonly string[]): number {
  const inName = names.filter((name) => name.includes(part)).length / names.length
  if (!kinds.some((kind) => mayEnd(part, kind))) return inName
  const sample = names.filter((_, index) => index % 7 === 0)
  let matches = 0
  for (const name of sample) for (const kind of kinds) if ((name + kind).includes(part)) matches++
  return matches / (sample.length * kinds.length)
}

/** Whether a part may reach into the kind. */
function mayEnd(part: string, kind: string): boolean {
  return kind.includes(part) || [...part].some((_, at) => kind.startsWith(part.slice(at)))
}
