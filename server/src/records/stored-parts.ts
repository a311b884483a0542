const COMMA = 44
const QUOTE = 34
const BACKSLASH = 92
const OPENING = 91

/**
 * Splits the JSON text of a record's values into the texts of the single values, each at the index of its key. Values
 * of other keys are left out. The text is the result of `JSON.stringify` on an object of strings, numbers, booleans and
 * lists of strings.
 */
export function storedParts(json: string, places: ReadonlyMap<string, number>): (string | undefined)[] {
  const parts: (string | undefined)[] = []
  // After the opening brace: a key, a colon, a value, then a comma or the closing brace.
  for (let at = 1; at < json.length - 1; ) {
    const colon = endOfText(json, at)
    const end = endOfValue(json, colon + 1)
    const place = places.get(json.slice(at + 1, colon - 1))
    if (place !== undefined) parts[place] = json.slice(colon + 1, end)
    at = end + 1
  }
  return parts
}

/** The index after the closing quote of the string that starts here. */
function endOfText(json: string, start: number): number {
  let at = json.indexOf('"', start + 1)
  while (isEscaped(json, at)) at = json.indexOf('"', at + 1)
  if (at === -1) throw new Error('A stored text has no end.')
  return at + 1
}

/** An odd number of backslashes before it escapes it. */
function isEscaped(json: string, at: number): boolean {
  let backslashes = 0
  while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}

function endOfValue(json: string, start: number): number {
  const first = json.charCodeAt(start)
  if (first === QUOTE) return endOfText(json, start)
  if (first === OPENING) return endOfList(json, start)
  const comma = json.indexOf(',', start)
  return comma === -1 ? json.length - 1 : comma
}

function endOfList(json: string, start: number): number {
  let at = start + 1
  while (json.charCodeAt(at) === QUOTE) {
    at = endOfText(json, at)
    // A comma is followed by another string, otherwise the bracket ends the list.
    if (json.charCodeAt(at) === COMMA) at++
  }
  return at + 1
}
