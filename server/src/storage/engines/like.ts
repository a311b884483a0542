/** The pattern of `like … escape '\'` that finds a part anywhere, its own `%`, `_` and `\` taken literally. */
export function partPattern(part: string): string {
  return `%${part.replace(/[\\%_]/g, '\\$&')}%`
}
