import { type BuiltInName, resourceNames } from '@kith/contract/resource'

export const isLong = process.env.TEST_LONG === '1'

/** How often a test does something: a few times in `npm test`, the full number in `npm run test:long`. */
export function inRun(numbers: { short: number; long: number }): number {
  return isLong ? numbers.long : numbers.short
}

/** One resource with a name and references, and one with a title and links. The engine is the same for all of them. */
const representatives: readonly BuiltInName[] = ['companies', 'tasks']

/** For sentences that are the same for every resource: two of them in `npm test`, all in `npm run test:long`. */
export const testedResources: readonly BuiltInName[] = isLong ? resourceNames : representatives
