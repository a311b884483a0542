import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../server/test/setup/postgres.ts'
import { newWorkspace } from '../../server/test/workspace.ts'
import { receivers } from '../src/screens/settings/webhooks/receivers.tsx'
import { eventually } from './eventually.ts'

const root = join(import.meta.dirname, '../..')
const commands = {
  typescript: [process.execPath, '--input-type=module-typescript', '--eval'],
  python: ['python3', '-c'],
} as const

/** Runs a receiver as its reader would, and returns all that it prints. */
function run({ id, code }: (typeof receivers)[number], env: Readonly<Record<string, string>>): () => string {
  const [command, ...flags] = commands[id]
  const child = spawn(command, [...flags, code], { cwd: root, env: { PATH: process.env.PATH, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  return () => output
}

it.each(receivers)(
  'the receiver in $label accepts what is signed with its secret, and nothing else',
  async (receiver) => {
    const { api } = await newWorkspace()
    const port = await freePort()
    const made = await api.post('/webhooks', { url: `http://127.0.0.1:${port}/`, types: ['companies.*'] })
    const { id, attributes } = made.body.data
    const test = async () => (await api.post(`/webhooks/${id}/test`)).body.data.attributes.attempts[0].status
    const output = run(receiver, { KITH_WEBHOOK_SECRET: attributes.secret, PORT: String(port) })
    await eventually(async () => expect(await test(), output()).toBe(204))
    await api.post('/companies', { name: 'Alder' })
    await eventually(async () => expect(output()).toContain('companies.created'))
    expect(output()).toContain('webhook.test')

    const body = JSON.stringify({ type: 'webhook.test', timestamp: '', data: {} })
    const headers = { 'webhook-id': '1', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) }
    for (const forged of [headers, { ...headers, 'webhook-signature': `v1,${btoa('x'.repeat(32))}` }]) {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: forged, body })
      expect(response.status).toBe(400)
    }
    // A connection that the receiver closes after a few idle seconds gives no status.
    await api.put(`/webhooks/${id}/rotate`, { keep_hours: 1 })
    await eventually(async () => expect(await test()).toBe(204))
    await api.put(`/webhooks/${id}/rotate`, { keep_hours: 0 })
    await eventually(async () => expect(await test()).toBe(400))
  },
)
