import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from './client.ts'

/** The response to one request: the text, and whether the connection then breaks. */
type Piece = { text: string; cut?: true; status?: number; cursor?: string }

const id = (n: number) => `01kb8w4d5e6f7g8h9j0k1m2n3${n}`
const line = (n: number, name = `No ${n}`) => `${JSON.stringify({ id: id(n), type: 'people', attributes: { name } })}\n`
const end = (count: number) => `{"type":"end","meta":{"count":${count},"changes_cursor":"c"}}\n`

async function service(...pieces: Piece[]) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const {
      text,
      cut,
      status = 200,
      cursor = 'first',
    } = pieces[Math.min(asked.length, pieces.length - 1)] ?? { text: '' }
    asked.push(request.url ?? '')
    response.writeHead(status, { 'X-Changes-Cursor': cursor })
    // A response of several chunks: the last one is sent and then lost.
    response.write(text, () => (cut ? response.destroy() : response.end()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const client = createClient({ url: `http://127.0.0.1:${port}/api`, token: 't', retries: 1 })
  return { client, asked }
}

async function taken<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}

describe('.export()', () => {
  it('yields every record, and knows their number and the place in the feed', async () => {
    const { client, asked } = await service({ text: line(1, 'two\nlines') + line(2) + end(2) })
    const exported = client.people.export({ filter: { name: { $contains: 'a' } }, fields: ['name'] })
    const names = (await taken(exported)).map(({ attributes }) => attributes.name)
    expect([names, exported.count, exported.changesCursor]).toEqual([['two\nlines', 'No 2'], 2, 'first'])
    expect(decodeURIComponent(asked[0] ?? '')).toBe(
      '/api/v1/people/export?filter[name][$contains]=a&fields=name&format=ndjson',
    )
  })

  it('continues after the last whole line when it is cut off, and keeps the first place in the feed', async () => {
    const { client, asked } = await service(
      { text: line(1) + line(2) + line(3).slice(0, 30), cut: true },
      { text: line(3), cut: true, cursor: 'second' },
      { text: end(0), cursor: 'third' },
    )
    const exported = client.people.export()
    expect((await taken(exported)).map((record) => record.id)).toEqual([id(1), id(2), id(3)])
    expect(asked.map((path) => new URLSearchParams(path.split('?')[1]).get('after'))).toEqual([null, id(2), id(3)])
    expect([exported.count, exported.changesCursor]).toEqual([3, 'first'])
  })

  it('does not take a response without its last line for a complete one', async () => {
    const { client, asked } = await service({ text: line(1) }, { text: '' })
    await expect(taken(client.people.export())).rejects.toMatchObject({ kind: 'unreachable' })
    expect(asked.length).toBe(3)
  })

  it('throws what the service refuses, and ends with its signal', async () => {
    const { client } = await service({ status: 422, text: '{"message":"No.","errors":{"filter":["No."]}}' })
    await expect(taken(client.people.export())).rejects.toMatchObject({ kind: 'invalid', errors: { filter: ['No.'] } })
    const gone = AbortSignal.abort(new Error('enough'))
    await expect(taken(client.people.export({ signal: gone }))).rejects.toThrow('enough')
  })
})

describe('.exportCsv()', () => {
  it('yields whole rows with one header, also when it is cut off within quotes', async () => {
    const row = `${id(1)},"two\nlines, ""quoted"""\r\n`
    const { client, asked } = await service(
      { text: `id,name\r\n${row}${id(2)},"cut\n`, cut: true },
      { text: `id,name\r\n${id(2)},Bob\r\n` },
    )
    const exported = client.people.exportCsv()
    expect((await taken(exported)).join('')).toBe(`id,name\r\n${row}${id(2)},Bob\r\n`)
    expect(asked[1]).toContain(`after=${id(1)}`)
    expect(exported.count).toBe(2)
  })

  it('fails if the columns have changed since it was cut off', async () => {
    const { client } = await service(
      { text: `id,name\r\n${id(1)},Ada\r\n`, cut: true },
      { text: 'id,name,custom_fields.new\r\n' },
    )
    await expect(taken(client.people.exportCsv())).rejects.toThrow('its columns have changed')
  })
})
