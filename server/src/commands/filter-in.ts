import { isObject, parseJson } from '@kith/contract/raw-input'
import { BadUsage } from './failure.ts'

/** The filter of `--filter`. The service checks its conditions. */
export function filterIn(text: string): object {
  const filter = parseJson(text)
  if (!isObject(filter)) throw new BadUsage(`--filter must be a JSON object such as {"name": {"$contains": "labs"}}.`)
  return filter
}
