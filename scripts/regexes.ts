/** A regular expression literal and where it is. */
export type Regex = { source: string; flags: string }

/** Matches text before a regular expression that cannot come before a division. */
const BEFORE = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\breturn|\btypeof|\bcase|\bin|\bof|\bawait|=>)$/

/** Every regular expression literal in a source text, outside strings, templates and comments. */
export function regexesIn(text: string): Regex[] {
  const found: Regex[] = []
  let before = ''
  for (let at = 0; at < text.length; ) {
    const two = text.slice(at, at + 2)
    if (two === '//') at = endOf(text, '\n', at)
    else if (two === '/*') at = endOf(text, '*/', at)
    else if (text[at] === '/' && BEFORE.test(before)) {
      const regex = readRegex(text, at)
      found.push(regex)
      at += regex.source.length + regex.flags.length + 2
      before = ')'
    } else if (text[at] === "'" || text[at] === '"' || text[at] === '`') {
      at = endOfString(text, at, (hole) => found.push(...regexesIn(hole)))
      before = ')'
    } else {
      if (!/\s/.test(text[at] ?? '')) before = (before + text[at]).slice(-8)
      else if (/\w$/.test(before)) before += ' '
      before = before.replace(/ $/, /\w/.test(text[at + 1] ?? '') ? ' ' : '')
      at++
    }
  }
  return found
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from + 2)
  return at === -1 ? text.length : at + mark.length
}

/** The end of a string. Expressions inside a template go to the callback. */
function endOfString(text: string, from: number, onHole: (hole: string) => void = () => {}): number {
  const isTemplate = text[from] === '`'
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (isTemplate && text.startsWith('${', at)) {
      const end = endOfHole(text, at + 2)
      onHole(text.slice(at + 2, end))
      at = end
    } else if (text[at] === text[from]) return at + 1
  }
  return text.length
}

/** The position of the brace that closes an expression inside a template. */
function endOfHole(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') depth++
    else if (text[at] === '}') {
      if (depth-- === 0) return at
    } else if (text[at] === "'" || text[at] === '"' || text[at] === '`') at = endOfString(text, at) - 1
  }
  return text.length
}

function readRegex(text: string, from: number): Regex {
  let inClass = false
  let at = from + 1
  for (; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '[') inClass = true
    else if (text[at] === ']') inClass = false
    else if (text[at] === '/' && !inClass) break
  }
  const flags = /^[a-z]*/.exec(text.slice(at + 1))?.[0] ?? ''
  return { source: text.slice(from + 1, at), flags }
}

/** One step of a pattern: the characters it can begin with, and how often it may repeat. */
type Atom = { text: string; inner: Atom[][] | undefined; endless: boolean; optional: boolean }

/** Whether matching can take more than linear time. `exponential` and `polynomial` say how much more. */
export function slownessOf({ source, flags }: Regex): 'exponential' | 'polynomial' | undefined {
  const branches = parse(source)
  if (hasNestedRepeats(branches, flags)) return 'exponential'
  const slow = branches.some((atoms) => hasRivals(atoms, flags) || startsAnywhere(atoms, source, flags))
  return slow ? 'polynomial' : undefined
}

function parse(source: string): Atom[][] {
  let at = 0
  const branchesUntil = (end: string): Atom[][] => {
    const branches: Atom[][] = [[]]
    while (at < source.length && source[at] !== end) {
      if (source[at] === '|') {
        at++
        branches.push([])
      } else branches.at(-1)?.push(readAtom())
    }
    return branches
  }
  const readAtom = (): Atom => {
    const from = at
    let inner: Atom[][] | undefined
    if (source[at] === '(') {
      at += /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(source.slice(at))?.[0].length ?? 1
      inner = branchesUntil(')')
      at++
    } else if (source[at] === '[') at = endOfClass(source, at)
    else if (source[at] === '\\')
      at += /^\\(?:[pPu]\{[^}]*\}|u[0-9a-f]{4}|x[0-9a-f]{2}|k<\w+>|.)/i.exec(source.slice(at))?.[0].length ?? 2
    else at++
    const text = source.slice(from, at)
    const repeat = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(source.slice(at))?.[0] ?? ''
    at += repeat.length
    return { text, inner, endless: isEndless(repeat), optional: /^[*?]|^\{0/.test(repeat) }
  }
  return branchesUntil('')
}

function endOfClass(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === ']') return at + 1
  }
  return source.length
}

/** Nested, twenty repetitions are as bad as unlimited ones. */
function isEndless(repeat: string): boolean {
  const most = /^\{\d+,(\d*)\}/.exec(repeat)?.[1] ?? /^\{(\d+)\}/.exec(repeat)?.[1]
  return /^[*+]/.test(repeat) || most === '' || Number(most ?? 0) >= 2000
}

/**
 * A repeated group that contains a repetition, or whose branches can match the same text. It is harmless with a
 * separator that the rest cannot match.
 */
function hasNestedRepeats(branches: Atom[][], flags: string): boolean {
  return branches.flat().some(({ inner, endless }) => {
    if (!inner) return false
    if (endless && inner.some((atoms) => atoms.some((atom) => atom.endless) && !isSeparated(atoms, flags))) return true
    if (
      endless &&
      inner.length > 1 &&
      overlap(
        inner.flatMap((atoms) => atoms.slice(0, 1)),
        flags,
      )
    )
      return true
    return hasNestedRepeats(inner, flags)
  })
}

function isSeparated(atoms: Atom[], flags: string): boolean {
  const endless = atoms.filter((atom) => atom.endless)
  return atoms.some((one) => !one.endless && !one.optional && endless.every((other) => !overlap([one, other], flags)))
}

/** Two unlimited steps that can match the same text, because everything between them can match it as well. */
function hasRivals(atoms: Atom[], flags: string): boolean {
  return atoms.some((first, from) => {
    if (first.inner?.some((inner) => hasRivals(inner, flags))) return true
    if (!first.endless) return false
    for (let to = from + 1; to < atoms.length; to++) {
      const between = atoms.slice(from, to + 1)
      const needed = between.filter((atom, index) => index === 0 || index === between.length - 1 || !atom.optional)
      if (!allShare(needed, flags)) return false
      if (atoms[to]?.endless) return true
    }
    return false
  })
}

/** A search that begins with an unlimited step and fails starts again at each character. */
function startsAnywhere(atoms: Atom[], source: string, flags: string): boolean {
  const [first, ...rest] = atoms
  if (!first?.endless || source.startsWith('^') || flags.includes('y')) return false
  return rest.some((atom) => !atom.optional)
}

const SAMPLES = [
  ...Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)),
  'é',
  'ß',
  '漢',
  '\u2028',
  '\u0301',
]

function charactersOf({ text, inner }: Atom, flags: string): Set<string> {
  if (inner)
    return new Set(inner.flatMap((atoms) => atoms.slice(0, 1)).flatMap((atom) => [...charactersOf(atom, flags)]))
  if (/^(\^|\$|\\b|\\B)$/.test(text)) return new Set()
  const one = new RegExp(`^(?:${text})$`, flags.replace(/[gy]/g, ''))
  return new Set(SAMPLES.filter((character) => one.test(character)))
}

function allShare(atoms: Atom[], flags: string): boolean {
  const sets = atoms.map((atom) => charactersOf(atom, flags))
  return SAMPLES.some((character) => sets.every((set) => set.has(character)))
}

function overlap(atoms: Atom[], flags: string): boolean {
  return atoms.some((one, index) => atoms.slice(index + 1).some((other) => allShare([one, other], flags)))
}
