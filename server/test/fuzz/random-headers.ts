import type { Chance } from '../../src/sample/chance.ts'
import type { World } from './fuzzed-world.ts'
import type { Part } from './random-part.ts'

export function randomHeaders(chance: Chance, world: World, part: Part, body: Buffer | undefined): string[] {
  const headers = [
    `Host: ${chance.oneIn(30) ? chance.pick(['evil.example', 'a'.repeat(300), '[::1]', 'x:99999', '']) : 'localhost'}`,
  ]
  if (part.door === 'app') headers.push('X-Kith-App: 1', ...(chance.oneIn(4) ? [] : [`Cookie: ${world.cookie}`]))
  else if (part.door === 'oauth') {
    // From everywhere, or the limits for each address would answer in place of the endpoints.
    headers.push(`X-Forwarded-For: 10.${chance.below(256)}.${chance.below(256)}.${chance.below(256)}`)
    if (!chance.oneIn(4)) headers.push(`Cookie: ${world.cookie}`)
  } else if (!chance.oneIn(20)) headers.push(`Authorization: Bearer ${world.token}`)
  else
    headers.push(
      `Authorization: ${chance.pick(['Bearer', 'Bearer x', 'Basic YTpi', `Bearer kith_${'a'.repeat(46)}`, `bearer  ${world.token}  `, 'Bearer \xff'])}`,
    )
  if (body) {
    headers.push(`Content-Length: ${body.length}`)
    if (!chance.oneIn(15))
      headers.push(
        `Content-Type: ${chance.oneIn(12) ? chance.pick(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/json; charset=latin1', ';', 'application/x-www-form-urlencoded', '\xff']) : part.form ? 'application/x-www-form-urlencoded' : 'application/json'}`,
      )
    if (chance.oneIn(20)) headers.push(`Content-Encoding: ${chance.pick(['gzip', 'br', 'deflate', 'identity', 'x'])}`)
  }
  if (part.path.endsWith('/content') && chance.oneIn(2))
    headers.push(
      `Range: ${chance.pick(['bytes=0-1', 'bytes=-3', 'bytes=99999-', 'bytes=1-0', 'bytes=0-0,2-3', 'x=1', '\xff'])}`,
    )
  if (chance.oneIn(15)) headers.push(`X-Request-Id: ${chance.pick(['ok-1', '<script>', 'a'.repeat(200), '\xe9', "'"])}`)
  if (chance.oneIn(15))
    headers.push(
      `Accept: ${chance.pick(['text/html', '*/*', 'application/xml', ';;;', 'application/vnd.api+json; ext=x'])}`,
    )
  if (part.door === 'mcp' && chance.oneIn(8))
    headers.push(
      `MCP-Protocol-Version: ${chance.pick(['2025-06-18', '2025-03-26', '2024-11-05', '2025-06-18', '1999-01-01', '', '\xff'])}`,
    )
  if (chance.oneIn(25))
    headers.push(
      `X-Forwarded-For: ${chance.pick(['1.2.3.4', 'x', ','.repeat(100)])}`,
      'X-Forwarded-Host: evil.example',
      'X-HTTP-Method-Override: DELETE',
    )
  if (chance.oneIn(25)) headers.push(`Origin: ${chance.pick(['https://evil.example', 'null', 'http://localhost'])}`)
  if (chance.oneIn(40)) headers.push(`X-Fill: ${'x'.repeat(chance.pick([100, 5000, 70_000]))}`)
  return headers
}
