const LETTERS = 8

/** Of so many spans in a row, one is kept. */
const IN_A_ROW = 4

/**
 * The spans of a name: eight letters in a row, each as a number. Names are made of few words, and each trigram of a common word is in thousands of
 * them; eight letters mostly reach from one word into the next, and few names share them. Of every four spans in a row the one with the least number
 * is kept. So whoever looks for a part that holds four in a row knows one of them that every name with that part has, and two fifths of all are enough.
 */
export function spansOf(name: string): string {
  return kept(name).join(' ')
}

/** What the index of spans is asked for the names that hold a part, and maybe for some more; undefined where the part is too short. */
export function askedSpans(part: string): string | undefined {
  const spans = kept(part)
  return spans.length === 0 ? undefined : spans.join(' AND ')
}

function kept(text: string): string[] {
  const numbers: number[] = []
  for (let at = 0; at + LETTERS <= text.length; at++) numbers.push(spanAt(text, at))
  const least = new Set<number>()
  for (let at = IN_A_ROW; at <= numbers.length; at++) least.add(Math.min(...numbers.slice(at - IN_A_ROW, at)))
  return [...least].map((number) => number.toString(36))
}

/** A number for eight letters, well mixed (FNV-1a). Different letters may have the same one: the name itself tells. */
function spanAt(text: string, start: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < start + LETTERS; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
