const COMMA = 44
const QUOTE = 34
const BACKSLASH = 92
const OPENING = 91

/**
 * Cuts the JSON text of a record's values into the texts of the single values, each at the place of its key; values of
 * other keys are left out. The text is what `JSON.stringify` made of an object of texts, numbers, booleans and lists of texts.
 */
export function storedParts(json: string, places: ReadonlyMap<string, number>): (string | undefined)[] {
  const parts: (string | undefined)[] = []
  // Behind the opening brace; a key, a colon, a value and a comma or the closing brace follow one another.
  for (let at = 1; at < json.length - 1; ) {
    const colon = endOfText(json, at)
    const end = endOfValue(json, colon + 1)
    const place = places.get(json.slice(at + 1, colon - 1))
    if (place !== undefined) parts[place] = json.slice(colon + 1, end)
    at = end + 1
  }
  return parts
}

/** Behind the closing quote of the text that begins here. */
function endOfText(json: string, start: number): number {
  let at = json.indexOf('"', start + 1)
  while (isEscaped(json, at)) at = json.indexOf('"', at + 1)
  if (at === -1) throw new Error('A stored text has no end.')
  return at + 1
}

/** An odd number of backslashes in front escapes it. */
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
    // Behind a comma another text follows, otherwise the bracket that ends the list.
    if (json.charCodeAt(at) === COMMA) at++
  }
  return at + 1
}
