import { createServer, type RequestListener } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { beforeAll, expect, inject, it } from 'vitest'
import type { Api } from '../../api.ts'
import { eventually, newReceiver } from '../../both/webhooks/receiver.ts'
import { made } from '../../records.ts'
import { notRun, runKith, spawnKith } from '../../run-kith.ts'
import { whenFileEnds } from '../../when-file-ends.ts'
import { newWorkspace } from '../../workspace.ts'

let api: Api
let env: Record<string, string>

beforeAll(async () => {
  api = (await newWorkspace()).api
  env = { KITH_URL: inject('service').url, KITH_TOKEN: api.token }
})

/** Listens until `end`, which returns what was printed, and the last cursor. */
async function listening(args: readonly string[] = [], more = {}) {
  const ending = new AbortController()
  const ran = notRun()
  const ended = runKith(['listen', ...args], { ...env, ...more }, { ending: ending.signal, ran })
  const shows = (isSo: () => boolean) => eventually(async () => ran, isSo)
  await shows(() => ran.stderr.includes('Waiting for changes') || ran.code !== null)
  return {
    ran,
    shows,
    lines: () => ran.stdout.split('\n').filter((line) => line !== ''),
    async end() {
      ending.abort()
      await ended
      expect(ran.code, ran.stderr).toBe(0)
      return /Last cursor: (\S+)\n$/.exec(ran.stderr)?.[1] ?? expect.fail(ran.stderr)
    },
  }
}

it('kith listen prints changes from now on as lines, and the last cursor when it ends', async () => {
  await made(api, 'people', { name: 'Earlier' })
  const { body } = await api.get('/changes?cursor=now')
  const from: string = body.meta.next_cursor
  const { shows, lines, end } = await listening()
  await made(api, 'people', { name: 'Ada' })
  await made(api, 'companies', { name: 'Acme' })
  await shows(() => lines().length >= 2)
  const last = await end()
  const entries = (await api.get(`/changes?cursor=${from}`)).body
  expect(lines().map((line) => JSON.parse(line))).toEqual(entries.data)
  expect(last).toBe(entries.meta.next_cursor)
  const later = (await made(api, 'people', { name: 'Bob' })).id
  const again = await listening(['--cursor', last])
  await again.shows(() => again.lines().length >= 1)
  await again.end()
  expect(again.lines().map((line) => JSON.parse(line).attributes.record_id)).toEqual([later])
})

it('takes --resource, --filter and --since', async () => {
  const since = new Date().toISOString()
  await made(api, 'companies', { name: 'Acme' })
  await made(api, 'people', { name: 'Carl' })
  const dora = (await made(api, 'people', { name: 'Dora' })).id
  const args = ['--since', since, '--resource', 'people', '--filter', '{"name":{"$contains":"dor"}}']
  const filtered = await listening(args)
  await filtered.shows(() => filtered.lines().length >= 1)
  await filtered.end()
  expect(filtered.lines().map((line) => JSON.parse(line).attributes.record_id)).toEqual([dora])
  const companies = await listening(['--since', since, '--resource', 'companies,notes'])
  await companies.shows(() => companies.lines().length >= 1)
  await companies.end()
  const of = (line: string) => JSON.parse(line).attributes.resource
  expect(companies.lines().map(of)).toEqual(['companies'])
})

it('--forward sends them signed as webhooks, in order; a failure is reported with its status', async () => {
  const receiver = await newReceiver()
  receiver.answer(({ body }, response) =>
    response.writeHead(body.data.record?.attributes.name === 'Two' ? 500 : 204).end(),
  )
  const { body } = await api.get('/changes?cursor=now')
  const forward = await listening(['--forward', receiver.url])
  const [secret = ''] = forward.ran.stderr.split('\n')
  expect((await runKith(['listen', '--print-secret'], env)).stdout).toBe(`${secret}\n`)
  for (const name of ['One', 'Two', 'Three']) await made(api, 'companies', { name })
  await receiver.until(3)
  await forward.shows(() => forward.lines().length >= 2)
  const last = await forward.end()
  const { data, meta } = (await api.get(`/changes?cursor=${body.meta.next_cursor}`)).body
  expect(last).toBe(meta.next_cursor)
  for (const [index, { headers, text, body }] of receiver.received.entries()) {
    const { id, attributes } = data[index]
    expect(new Webhook(secret).verify(text, headers)).toEqual(body)
    expect(body).toEqual({
      type: 'companies.created',
      timestamp: attributes.at,
      data: { id, ...attributes, cursor: expect.any(String) },
    })
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Kith-Webhooks/1.0',
      'webhook-id': id,
      'kith-endpoint': 'listen',
      'kith-attempt': '1',
    })
    const after = (await api.get(`/changes?cursor=${body.data.cursor}`)).body.data
    // Nothing after the event is missed.
    expect(after.slice(after.length - (2 - index))).toEqual(data.slice(index + 1))
  }
  const [one, two, three] = data.map(({ id }: { id: string }) => `companies.created ${id}`)
  expect(forward.lines()).toEqual([`204 ${one}`, `204 ${three}`])
  expect(forward.ran.stderr).toContain(`Failed: HTTP 500, ${two}\n`)
  await receiver.kill()
  const down = await listening(['--forward', receiver.url, '--cursor', body.meta.next_cursor])
  await down.shows(() => down.ran.stderr.includes(`${three}\n`))
  await down.end()
  expect(down.ran.stderr).toMatch(/Failed: no response \(.+\), companies\.created/)
})

it('continues without a gap when the service was away', async () => {
  // Between the command and the service, to cut the connection.
  let isAway = false
  const pass: RequestListener = async (request, response) => {
    if (isAway) return void request.socket.destroy()
    const answer = await fetch(inject('service').url + request.url, {
      headers: { authorization: request.headers.authorization ?? '' },
    })
    const text = await answer.text()
    if (isAway) return void request.socket.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  }
  const proxy = createServer(pass)
  whenFileEnds(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const port = typeof address === 'object' ? address?.port : expect.fail()
  const { ran, shows, lines, end } = await listening([], { KITH_URL: `http://127.0.0.1:${port}/api` })
  isAway = true
  proxy.closeAllConnections()
  const missed = (await made(api, 'people', { name: 'While away' })).id
  await shows(() => ran.stderr.includes('Retrying'))
  isAway = false
  await shows(() => lines().length >= 1)
  await end()
  expect(lines().map((line) => JSON.parse(line).attributes.record_id)).toEqual([missed])
})

it('Ctrl-C and SIGTERM end it with exit code 0', async () => {
  const ran = await Promise.all(
    (['SIGINT', 'SIGTERM'] as const).map((signal) =>
      spawnKith(['listen'], env, (child) => {
        child.stderr?.on('data', (text) => String(text).includes('Waiting') && child.kill(signal))
      }),
    ),
  )
  for (const { code, stdout, stderr } of ran) {
    expect([code, stdout, stderr]).toEqual([0, '', expect.stringMatching(/\nLast cursor: \S+\n$/)])
  }
})

it('says what is missing or wrong', async () => {
  const failed = async (...args: string[]) => {
    const { code, stderr, stdout } = await runKith(['listen', ...args], env)
    expect([code === 0, stdout.replace(/^whsec_.+\n/, '')]).toEqual([false, ''])
    return stderr
  }
  expect(await failed('--cursor', 'now', '--since', '2026-01-01')).toContain('--cursor or --since, not both')
  expect(await failed('--resource', 'peple')).toContain('Did you mean people?')
  expect(await failed('--filter', '{}')).toContain('--filter needs --resource with one resource')
  expect(await failed('--filter', '{}', '--resource', 'people,notes')).toContain('--filter needs --resource')
  expect(await failed('--filter', '1', '--resource', 'people')).toContain('--filter must be a JSON object')
  expect(await failed('--filter', '{"nam":1}', '--resource', 'people')).toContain('name')
  expect(await failed('--forward', 'localhost:4000')).toContain('--forward must be an address such as http')
  expect(await failed('--forward', 'http://localhost:4000', '--cursor', 'start')).toContain('--forward sends changes')
  expect(await failed('--cursor', 'nonsense')).toContain('cursor')
  expect(await failed('--since', '3000-01-01')).toContain('since')
  expect(await failed('--token', 'wrong')).toContain('Unauthenticated')
})
