/** Both texts in one. Lines that they share at the beginning and at the end are there once. */
export function combineTexts(mine: string, theirs: string): string {
  const [own, other] = [mine.split('\n'), theirs.split('\n')]
  const shorter = Math.min(own.length, other.length)
  let before = 0
  while (before < shorter && own[before] === other[before]) before++
  let after = 0
  while (after < shorter - before && own.at(-1 - after) === other.at(-1 - after)) after++
  const middle = [...own.slice(before, own.length - after), ...other.slice(before, other.length - after)]
  return [...own.slice(0, before), ...middle, ...own.slice(own.length - after)].join('\n')
}
