import { isObject } from '@kith/contract/raw-input'
import { BadUsage } from './failure.ts'

/** The filter of `--filter`. The service checks its conditions. */
export function filterIn(text: string): object {
  const filter = parsed(text)
  if (!isObject(filter)) throw new BadUsage(`--filter must be a JSON object such as {"name": {"$contains": "labs"}}.`)
  return filter
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
