import { expect, inject, it } from 'vitest'
import { runKith } from '../../run-kith.ts'
import { newWorkspace, sharedEnv, type TestWorkspace } from '../../workspace.ts'

it('kith webhook creates, lists, tests, replays, pauses, resumes, rotates and deletes over HTTP', async () => {
  const workspace = await newWorkspace()
  await useWebhooks(workspace, { KITH_URL: inject('service').url, KITH_TOKEN: workspace.api.token })
})

it('with --workspace it does the same directly on the database', async () => {
  const workspace = await newWorkspace()
  await useWebhooks(workspace, sharedEnv(), ['--workspace', workspace.slug])
  const failed = async (...args: string[]) => {
    const { code, stderr } = await runKith(['webhook', ...args], sharedEnv())
    expect(code).not.toBe(0)
    return stderr
  }
  const both = ['--workspace', workspace.slug, '--token', 'kith_x']
  expect(await failed('list', ...both)).toContain('--workspace, or --url and --token, not both')
  expect(await failed('list', '--workspace', 'nowhere')).toContain('nowhere')
  const local = ['create', 'https://127.0.0.1/hook', '--workspace', workspace.slug]
  expect(await failed(...local)).toContain('must not be a private, local or reserved address')
  expect(await failed('pause', 'x', '--workspace', workspace.slug)).toContain('No webhook')
})

async function useWebhooks({ api }: TestWorkspace, env: Record<string, string>, where: readonly string[] = []) {
  const kith = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runKith(['webhook', ...args, ...where], env)
    expect(code, stderr).toBe(0)
    return stdout.trim()
  }
  expect(await kith('list')).toBe('No webhooks.')
  // A name that resolves to this host: nothing is sent.
  const made = await kith('create', 'https://localhost:1/hook', '--types', 'companies.*,people.created', '--thin')
  const [id = '', secret] = made.split('\n')
  expect(secret).toMatch(/^whsec_/)
  expect((await api.get(`/webhooks/${id}`)).body.data.attributes).toMatchObject({
    url: 'https://localhost:1/hook',
    types: ['companies.*', 'people.created'],
    payload: 'thin',
  })
  expect(await kith('list')).toContain(id)
  expect(await kith('test', id)).toMatch(/^failed: no response \(blocked_address\) after \d+ ms$/)
  expect(await kith('replay', id, '--failed')).toBe('Events that are sent again: 0.')
  expect(await kith('pause', id)).toBe('paused')
  expect(await kith('resume', id)).toBe('active')
  expect(await kith('rotate', id)).toMatch(/^whsec_/)
  const unclear = await runKith(['webhook', 'replay', id, ...where], env)
  expect([unclear.code === 0, unclear.stderr]).toEqual([false, expect.stringContaining('--event ID or --failed')])
  expect(await kith('delete', id)).toBe('Deleted.')
  expect((await api.get(`/webhooks/${id}`)).status).toBe(404)
}
