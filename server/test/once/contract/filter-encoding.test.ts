import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../api.ts'
import { foundInAddress, refusedInAddress } from '../../filtering.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await newWorkspace()
  for (const name of ['Café', 'Cafe', 'a+b', 'a b', 'a&b=c', 'Ã©', '100%', '[x]', '语言🦊']) {
    await workspace.api.post('/companies', { name })
  }
})

describe('a query string is percent-encoded UTF-8', () => {
  it.each([
    ['filter[name][$eq]=Caf%C3%A9', ['Café']],
    ['filter[name][$eq]=Caf%c3%a9', ['Café']],
    ['filter%5Bname%5D%5B%24eq%5D=Caf%C3%A9', ['Café']],
    ['f%69lter[n%61me][$eq]=%43afe', ['Cafe']],
    ['filter[name][$eq]=a%2Bb', ['a+b']],
    ['filter[name][$eq]=a+b', ['a b']],
    ['filter[name][$eq]=a%20b', ['a b']],
    ['filter[name][$eq]=a%26b%3Dc', ['a&b=c']],
    ['filter[name][$eq]=a%26b=c', ['a&b=c']],
    ['filter[name][$eq]=100%25', ['100%']],
    ['filter[name][$eq]=[x]', ['[x]']],
    ['filter[name][$contains]=%F0%9F%A6%8A', ['语言🦊']],
    ['filter[name][$contains]=%E8%AF%AD', ['语言🦊']],
    ['&&filter[name][$eq]=Cafe&', ['Cafe']],
  ])('%s', async (query, expected) => {
    expect(await foundInAddress(workspace.api, 'companies', query)).toEqual(expected)
  })

  it.each([
    ['invalid UTF-8', 'filter[name][$eq]=%FF', 'filter.name.$eq'],
    ['a byte of Latin-1', 'filter[name][$eq]=Caf%E9', 'filter.name.$eq'],
    ['a sequence that breaks off', 'filter[name][$eq]=%C3', 'filter.name.$eq'],
    ['a longer form than needed', 'filter[name][$eq]=%C0%AF', 'filter.name.$eq'],
    ['a surrogate', 'filter[name][$eq]=%ED%A0%80', 'filter.name.$eq'],
    ['NUL', 'filter[name][$eq]=a%00b', 'filter.name.$eq'],
    ['a lone percent sign', 'filter[name][$eq]=100%', 'filter.name.$eq'],
    ['no hexadecimal digits', 'filter[name][$eq]=%zz', 'filter.name.$eq'],
    ['an item of a list', 'filter[creation_source][$in][]=%FF', 'filter.creation_source.$in'],
    ['a name', 'filter[%FF][$eq]=x', 'filter[%FF][$eq]'],
    ['NUL in a name', 'filter[na%00me][$eq]=x', 'filter[na%00me][$eq]'],
  ])('%s is 422', async (_what, query, path) => {
    const errors = await refusedInAddress(workspace.api, 'companies', query)
    expect(Object.keys(errors)).toEqual([path])
    expect(errors[path]?.[0]).toContain('percent-encoded UTF-8')
  })

  it.each([
    ['a parameter sent twice', 'filter[name][$eq]=a&filter[name][$eq]=b', 'filter.name.$eq'],
    ['one bracket that is not closed', 'filter[name][$eq=a', 'filter[name][$eq'],
    ['brackets inside each other', 'filter[name[$eq]]=a', 'filter[name[$eq]]'],
    ['something between brackets', 'filter[name].[$eq]=a', 'filter[name].[$eq]'],
    ['empty brackets before the end', 'filter[$or][][name][$eq]=a', 'filter[$or][][name][$eq]'],
    [
      'a list and a value',
      'filter[creation_source][$in]=web&filter[creation_source][$in][]=api',
      'filter.creation_source.$in',
    ],
    [
      'a list and numbers',
      'filter[creation_source][$in][]=api&filter[creation_source][$in][0]=web',
      'filter.creation_source.$in.0',
    ],
    ['another parameter', 'filters[name][$eq]=a', 'filters'],
    ['a dotted name', 'filter.name.$eq=a', 'filter.name.$eq'],
  ])('%s is 422', async (_what, query, path) => {
    expect(Object.keys(await refusedInAddress(workspace.api, 'companies', query))).toEqual([path])
  })

  it('a query takes its filter in the body, not in its address', async () => {
    const { status, body } = await workspace.api.post('/companies/query?filter[name][$eq]=Cafe', {})
    expect(status).toBe(422)
    expect(Object.keys(body.errors)).toEqual(['filter'])
  })
})

describe('bytes that are not encoded', () => {
  it.each([
    ['valid UTF-8', Buffer.from('Café')],
    ['UTF-8 of what Latin-1 would make of it', Buffer.from('Ã©')],
    ['Latin-1', Buffer.from('Café', 'latin1')],
    ['no text at all', Buffer.from([0xff, 0xfe])],
  ])('%s: are refused with 422 and never misread', async (_what, bytes) => {
    const { status, headers, body } = await sendRaw(workspace.api, bytes)
    expect(status).toBe(422)
    expect(headers).toMatch(/^content-type: application\/json$/im)
    expect(headers).toMatch(/^x-request-id: \S+$/im)
    expect(body).toEqual({
      message: expect.stringContaining('percent-encode'),
      errors: { query: [expect.stringContaining('percent-encode')] },
    })
  })

  it('the same request in ASCII is understood', async () => {
    const { status, body } = await sendRaw(workspace.api, Buffer.from('Caf%C3%A9'))
    expect(status).toBe(200)
    expect(body).toMatchObject({ data: [{ attributes: { name: 'Café' } }], meta: { total: 1 } })
  })

  it('an address too long for any filter says where a larger one fits', async () => {
    const { status, body } = await sendRaw(workspace.api, Buffer.from('x'.repeat(70_000)))
    expect([status, body]).toEqual([431, { message: expect.stringContaining('body of a query') }])
  })
})

/** A request whose query string goes out byte for byte, which no HTTP client would do. */
async function sendRaw(
  { base, token }: Api,
  value: Buffer,
): Promise<{ status: number; headers: string; body: unknown }> {
  const { hostname, port, pathname } = new URL(base)
  const socket = connect(Number(port), hostname)
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  socket.write(`GET ${pathname}/companies?filter[name][$eq]=`)
  socket.write(value)
  socket.write(` HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`)
  await once(socket, 'close')
  const [headers = '', ...rest] = Buffer.concat(parts).toString().split('\r\n\r\n')
  return { status: Number(headers.split(' ')[1]), headers, body: JSON.parse(rest.join('\r\n\r\n')) }
}
