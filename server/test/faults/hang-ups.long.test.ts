import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { loadSample } from '../../src/sample/load.ts'
import { ownProcess } from '../own-service.ts'

const noLimits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20))
}

it('a client that hangs up in the middle of a body or an answer leaves nothing behind: no record, no open file, no error', async () => {
  const own = await ownProcess({ ...noLimits, READER_THREADS: '1', DATABASE_CONNECTIONS: '2' })
  const workspace = await own.workspace()
  const { api } = workspace
  await loadSample(await workspace.scope(), {
    sizes: { companies: 300, people: 0, opportunities: 0, tasks: 0, notes: 0 },
    seed: 1,
  })
  // Threads open their files with their first work, and the pool its connections when several wait.
  await Promise.all(Array.from({ length: 20 }, () => api.get('/companies?per_page=100')))
  await api.patch(`/companies/${(await api.get('/companies?per_page=1')).body.data[0].id}`, { name: 'Touched' })
  const openFiles = () => readdirSync(`/proc/${own.service.process.pid}/fd`).length
  const before = openFiles()
  const head = (line: string, length: number) =>
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

  for (let round = 0; round < 5; round++) {
    const bodies = Array.from({ length: 20 }, async (_, index) => {
      const socket = await open(own.url)
      const body = JSON.stringify({
        name: 'Never whole',
        custom_fields: { domains: [`half-${round}-${index}.example`] },
      })
      socket.write(head('POST /api/v1/companies', body.length))
      socket.write(body.slice(0, index * 3), () => (index % 2 === 0 ? socket.destroy() : socket.resetAndDestroy()))
      await once(socket, 'close')
    })
    const answers = Array.from({ length: 20 }, async (_, index) => {
      const socket = await open(own.url)
      socket.write(head('GET /api/v1/companies?per_page=100&include=creator', 0))
      // Half of them are gone before the answer, the others after its first bytes.
      if (index % 2 === 0) await once(socket, 'data')
      socket.resetAndDestroy()
      await once(socket, 'close')
    })
    await Promise.all([...bodies, ...answers])
  }
  const { meta } = (await api.get('/companies?per_page=1')).body
  expect(meta.total).toBe(300)
  expect((await api.post('/companies', { name: 'Whole' })).status).toBe(201)
  await until(() => openFiles() <= before + 2)
  expect(own.service.output()).not.toContain('"level":50')
  expect(await own.stop()).toBe(0)
})
