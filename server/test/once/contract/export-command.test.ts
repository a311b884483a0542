import { expect, inject, it } from 'vitest'
import { readExport } from '../../exported.ts'
import { made } from '../../records.ts'
import { runKith, spawnKith } from '../../run-kith.ts'
import { newWorkspace, sharedEnv } from '../../workspace.ts'

/** A workspace with two people, and what the command line is started with. */
async function filled() {
  const { api } = await newWorkspace()
  for (const name of ['Ada', 'Bob']) await made(api, 'people', { name })
  return { api, env: { KITH_URL: inject('service').url, KITH_TOKEN: api.token } }
}

it('kith export writes the records as NDJSON, with the end line of the whole export', async () => {
  const { api, env } = await filled()
  const { code, stdout, stderr } = await runKith(['export', 'people'], env)
  expect(code, stderr).toBe(0)
  expect(stdout).toBe((await readExport(api, '/people/export')).text)
  expect(stderr).toMatch(/^2 people, [\d,]+ per second\.\n$/)
})

it('takes --filter, --fields and --format csv, and shows a bar on a terminal', async () => {
  const { api, env } = await filled()
  const options = ['--filter', '{"name":{"$contains":"b"}}', '--fields', 'name', '--format', 'csv']
  const { stdout, stderr } = await runKith(['export', 'people', ...options], env, { isInteractive: true })
  expect(stdout).toMatch(/^id,name\r\n[0-9a-z]{26},Bob\r\n$/)
  expect(stderr).toContain('\r')
  const { KITH_URL: url, KITH_TOKEN: token } = env
  for (const address of [url, `${url}/`, `${url}/api`, `${url}/api/v1`]) {
    const ran = await runKith(['export', 'people', '--url', address, '--token', token], {})
    expect(ran.stdout.split('\n').length, address).toBe(4)
  }
  expect(api.token).toBe(token)
})

it('says what is missing or wrong', async () => {
  const { env } = await filled()
  const failed = async (args: readonly string[], own: Record<string, string> = env) => {
    const { code, stderr, stdout } = await runKith(['export', ...args], own)
    expect([code === 0, stdout]).toEqual([false, ''])
    return stderr
  }
  expect(await failed([])).toContain('Missing: RESOURCE.')
  expect(await failed(['users'])).toContain('There is nothing at /api/v1/users/export')
  expect(await failed(['people', '--format', 'xml'])).toContain('--format must be one of ndjson, csv')
  expect(await failed(['people', '--filter', 'name'])).toContain('--filter must be a JSON object')
  expect(await failed(['people', '--filter', '{"nam":1}'])).toContain('name')
  expect(await failed(['people'], {})).toContain('KITH_URL')
  expect(await failed(['people'], { KITH_URL: env.KITH_URL })).toContain('KITH_TOKEN')
  expect(await failed(['people', '--url', 'crm'], env)).toContain('--url must be an address')
  expect(await failed(['people', '--token', 'wrong'])).toContain('Unauthenticated')
})

it('KITH_URL and KITH_TOKEN are accepted and ignored by other commands, and a process writes all of a large file', async () => {
  const { env } = await filled()
  const listed = await runKith(['workspace', 'list'], { ...sharedEnv(), ...env })
  expect([listed.code, listed.stderr]).toEqual([0, ''])
  const refused = await runKith(['workspace', 'list'], { ...sharedEnv(), KITH_URLS: 'x' })
  expect(refused.stderr).toContain('KITH_URLS: no such setting')
  const ran = await spawnKith(['export', 'people'], env)
  expect([ran.code, ran.stdout.split('\n').length]).toEqual([0, 4])
})
