import type { Chance } from '../../src/sample/chance.ts'
import type { World } from './fuzzed-world.ts'
import { randomBody } from './random-body.ts'
import { randomHeaders } from './random-headers.ts'
import { type Door, METHODS, randomPart } from './random-part.ts'
import { randomQuery } from './random-query.ts'

export type Fuzzed = { bytes: Buffer; headOnly: boolean; door: Door; path: string }

const BODILESS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']

/** The next request of a seed. */
export function randomRequest(chance: Chance, world: World): Fuzzed {
  const part = randomPart(chance, world)
  const method = chance.oneIn(12) ? chance.pick(METHODS) : part.method
  const asked = chance.oneIn(part.method === 'GET' ? 2 : 6) ? randomQuery(chance, world, part.resource) : ''
  const query = part.query !== undefined && !chance.oneIn(12) ? part.query : asked
  const body = BODILESS.includes(method) && !chance.oneIn(10) ? undefined : randomBody(chance, part)
  const target = part.path + (query === '' ? '' : `?${query}`)
  const headers = randomHeaders(chance, world, part, body)
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`, 'latin1')
  return {
    bytes: body ? Buffer.concat([head, body]) : head,
    headOnly: method === 'HEAD',
    door: part.door,
    path: part.path,
  }
}
