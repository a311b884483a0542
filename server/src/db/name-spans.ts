const LETTERS = 8

/**
 * The spans of a name: every eight letters in a row, each as a number. Names are made of few words, and each trigram of a common
 * word is in thousands of them; eight letters mostly reach from one word into the next, and few names share them.
 */
export function spansOf(name: string): string {
  let spans = ''
  for (let at = 0; at + LETTERS <= name.length; at++) spans += `${spanAt(name, at)} `
  return spans
}

/** How far into a part the spans begin by which it is looked up: at its end, and at two places before. */
const ASKED_AT = [1, 0.6, 0.3]

/** What the index of spans is asked for the names that hold a part, and maybe for some more; undefined where the part is too short. */
export function askedSpans(part: string): string | undefined {
  const last = part.length - LETTERS
  if (last < 0) return undefined
  const places = new Set(ASKED_AT.map((share) => Math.round(share * last)))
  return [...places].map((at) => spanAt(part, at)).join(' AND ')
}

/** A number for eight letters, well mixed (FNV-1a). Different letters may have the same one: the name itself tells. */
function spanAt(text: string, start: number): string {
  let hash = 0x811c9dc5
  for (let at = start; at < start + LETTERS; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return ((hash ^ (hash >>> 15)) >>> 0).toString(36)
}
