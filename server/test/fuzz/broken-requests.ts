import type { Chance } from '../../src/sample/chance.ts'
import type { World } from './fuzzed-world.ts'

/**
 * Requests that no correct client sends: the layers below the API must survive them, too. Each gets a connection
 * of its own.
 */
export function brokenRequest(chance: Chance, { token }: World): Buffer {
  const head = (line: string, ...headers: string[]) =>
    `${line}\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${headers.map((one) => `${one}\r\n`).join('')}\r\n`
  const body = '{"name":"Smuggled"}'
  const make = chance.pick([
    () => head('POST /api/v1/companies HTTP/1.1', 'Content-Length: 5', 'Content-Length: 19') + body,
    () => head('POST /api/v1/companies HTTP/1.1', 'Content-Length: 19', 'Transfer-Encoding: chunked') + body,
    () => head('POST /api/v1/companies HTTP/1.1', 'Transfer-Encoding: chunked, identity') + body,
    () => head('POST /api/v1/companies HTTP/1.1', 'Transfer-Encoding: xchunked') + body,
    () => `${head('POST /api/v1/companies HTTP/1.1', 'Transfer-Encoding: chunked')}zz\r\n${body}\r\n0\r\n\r\n`,
    () => head('POST /api/v1/companies HTTP/1.1', 'Content-Length: -1') + body,
    () => head('POST /api/v1/companies HTTP/1.1', 'Content-Length: 1e3') + body,
    () => head('GET /api/v1/companies HTTP/1.1', 'X-Bad: a\x00b'),
    () => head('GET /api/v1/companies HTTP/1.1', ' folded: x'),
    () => head('GET /api/v1/companies HTTP/1.1', 'No colon'),
    () => head('GET /api/v1/companies HTTP/1.1', 'Bad header name : x'),
    () => head('GET /api/v1/comp\xe4nies HTTP/1.1'),
    () => head('GET  HTTP/1.1'),
    () => head('GET /api/v1/companies HTTP/9.9'),
    () => head('FROB /api/v1/companies HTTP/1.1'),
    () => head('get /api/v1/companies HTTP/1.1'),
    () => head(`GET /api/v1/companies?x=${'y'.repeat(80_000)} HTTP/1.1`),
    () => head('GET /api/v1/companies HTTP/1.1', ...Array.from({ length: 3000 }, (_, index) => `X-${index}: y`)),
    () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    () => '\r\n\r\n\r\n',
    () => Array.from({ length: 300 }, () => String.fromCharCode(chance.below(256))).join(''),
  ])
  return Buffer.from(make(), 'latin1')
}
