import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { isLong } from '../../run-length.ts'

const root = join(import.meta.dirname, '../../../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const guide = readFileSync(join(root, 'docs/integrate/first-requests.md'), 'utf8')

function blocksIn(page: string): string[] {
  return [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
}

async function runInShell(script: string, env: Record<string, string>): Promise<{ code: number; output: string }> {
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: root, env: { ...process.env, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const code = await new Promise<number>((resolve) => child.on('close', (status) => resolve(status ?? 1)))
  return { code, output }
}

it('the README has the commands that start and test Kith', () => {
  expect(blocksIn(readme)).toEqual(['npm ci && npm start\n', 'npm ci && npm test\n'])
})

it.runIf(isLong)('docs/integrate/first-requests.md works line by line', async () => {
  const { url, database_url, secret } = inject('service')
  const slug = `readme-${Date.now()}`
  const script = blocksIn(guide)
    .join('\n')
    .replaceAll('http://localhost:3000', url)
    .replaceAll('my-company', slug)
    .replaceAll('you@example.com', `${slug}@example.com`)
    .replaceAll('curl ', 'curl -g -s --fail-with-body -w "\\n" ')
  const { code, output } = await runInShell(script, { DATABASE_URL: database_url, SECRET: secret })
  expect({ code, output }).toMatchObject({ code: 0 })
  const answers = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  const [created, listed, first, second, person, query, scan] = answers
  expect(listed.data).toEqual([created.data])
  expect(first.data.attributes.custom_fields.domains).toEqual(['globex.com'])
  expect(second.data.id).toBe(first.data.id)
  expect(second.data.attributes.name).toBe('Globex Corporation')
  expect(query.data.map((one: { id: string }) => one.id)).toEqual([person.data.id])
  expect(query.included.map((one: { id: string }) => one.id)).toEqual([first.data.id])
  expect(scan.meta.next_cursor).toEqual(expect.any(String))
})
