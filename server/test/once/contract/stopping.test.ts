import { once } from 'node:events'
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { apiAt } from '../../api.ts'
import { type OwnProcess, ownProcess } from '../../own-service.ts'
import { isLong } from '../../run-length.ts'
import { serveHere } from '../../setup/serve-here.ts'
import type { TestWorkspace } from '../../workspace.ts'

/** A create whose body is not sent before `finish`. The service has begun to read it. */
async function beginCreate(own: OwnProcess, { api }: TestWorkspace) {
  const body = JSON.stringify({ name: 'Begun before the end' })
  const headers = {
    Authorization: `Bearer ${api.token}`,
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    Expect: '100-continue',
  }
  const sent = request(`${own.url}/api/v1/companies`, { method: 'POST', headers, agent: false })
  const answered = once(sent, 'response')
  sent.flushHeaders()
  await once(sent, 'continue')
  return {
    async finish(): Promise<number | undefined> {
      sent.end(body)
      const [response] = await answered
      response.resume()
      await once(response, 'end')
      return response.statusCode
    },
  }
}

function refusesConnections({ url }: OwnProcess): Promise<boolean> {
  return fetch(`${url}/healthz`, { headers: { Connection: 'close' } }).then(
    () => false,
    () => true,
  )
}

it.each(isLong ? (['SIGTERM', 'SIGINT'] as const) : (['SIGTERM'] as const))(
  '%s finishes running requests and exits 0',
  async (signal) => {
    const own = await ownProcess()
    const workspace = await own.workspace()
    const begun = await beginCreate(own, workspace)
    const ended = once(own.service.process, 'exit')
    own.service.process.kill(signal)
    while (!(await refusesConnections(own))) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(await begun.finish()).toBe(201)
    expect(await ended).toEqual([0, null])
    const again = await serveHere(own.env)
    const list = await apiAt(again.url, workspace.api.token).get('/companies')
    expect(list.body.data[0].attributes.name).toBe('Begun before the end')
    await again.stop()
    await own.stop()
  },
)

it('stops although the reader of its log has gone', async () => {
  const own = await ownProcess({ LOG_LEVEL: 'info' })
  own.service.process.stdout?.destroy()
  expect((await fetch(`${own.url}/readyz`)).status).toBe(200)
  expect(await own.stop()).toBe(0)
})

it.runIf(isLong)('answers and stops although nobody reads its log', async () => {
  const own = await ownProcess({ LOG_LEVEL: 'info' })
  own.service.process.stdout?.pause()
  // More lines than the pipe and the buffers around it hold.
  const path = `/api/v1/${'x'.repeat(7000)}`
  for (let request = 0; request < 200; request++) expect((await fetch(own.url + path)).status).toBe(404)
  await own.stop()
  expect(own.service.process.signalCode).toBe('SIGKILL')
})
