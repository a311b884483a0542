import { type EveryName, everyResource } from './own-resource.ts'

export const isLong = process.env.TEST_LONG === '1'

/** How often a test does something: a few times in `npm test`, the full number in `npm run test:long`. */
export function inRun(numbers: { short: number; long: number }): number {
  return isLong ? numbers.long : numbers.short
}

/** One resource with a name and references, one with a title and links, and an own one. The engine is the same. */
const representatives: readonly EveryName[] = ['companies', 'tasks', 'projects']

/** For sentences that are the same for every resource: three of them in `npm test`, all in `npm run test:long`. */
export const testedResources: readonly EveryName[] = isLong ? everyResource : representatives
