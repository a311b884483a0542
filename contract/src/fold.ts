/**
 * Folds letter case over all of Unicode, so that two spellings that differ in case only become one.
 * Upper first, then lower: "ß" and "SS" meet, and so do the two small sigmas.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
}

const NOT_ASCII = /[^\0-\x7f]/

/** Most texts are, and need none of the steps for other letters. */
export function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text)
}

/** Counts code points, as people do, not UTF-16 units. */
export function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

const KEY_MAX = 500

/** A match key short enough for an index of either database: long ones keep their beginning and a hash of the whole. */
export function boundedKey(key: string): string {
  if (key.length <= KEY_MAX) return key
  return `${key.slice(0, KEY_MAX).toWellFormed()}\u2026${hashOf(key)}`
}

/** Two rounds of FNV-1a over 32 bits each: enough to tell long texts apart, the same in browser and server. */
function hashOf(text: string): string {
  let a = 0x811c9dc5
  let b = 0x01000193
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ unit ^ (a >>> 16), 0x85ebca6b)
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0')
}

/** Whether a text has more code points than allowed. Only texts near the limit are counted through. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || lengthOf(text) > max)
}
