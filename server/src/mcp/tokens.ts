/** The longest answer of a tool: what common clients accept, in tokens of a model. */
export const TOKENS_MAX = 25_000

/** About how many tokens a text has: one for four letters of English or JSON, more for other scripts. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4 + (Buffer.byteLength(text) - text.length) * 0.4)
}

/** A part of a text that does not end within a character. */
export function cutText(text: string, from: number, length: number): string {
  const part = text.slice(from, from + length)
  const isSplit = from + length < text.length && /[\ud800-\udbff]$/.test(part)
  return isSplit ? part.slice(0, -1) : part
}

/** As much of a text as an answer can have. */
export function partOfText(text: string, from: number): string {
  let part = cutText(text, from, PART_LENGTH)
  while (estimateTokens(JSON.stringify(part)) > PART_TOKENS) part = cutText(part, 0, Math.floor(part.length / 2))
  return part
}

const PART_LENGTH = 60_000
const PART_TOKENS = 20_000
