import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import {
  FILTER_CONDITIONS_MAX,
  FILTER_LIST_MAX,
  PAGE_MAX,
  RATE_READS,
  RATE_WORKSPACE,
  RATE_WRITES,
} from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { includeNames } from '@kith/contract/resource'
import { describe, expect, inject, it } from 'vitest'
import { newWorkspace } from '../../workspace.ts'

const pages = ['api', 'lists', 'fields', 'undo', 'files-and-comments'].map((name) => ({
  name,
  text: readFileSync(new URL(`../../../../docs/integrate/${name}.md`, import.meta.url), 'utf8'),
}))
const guide = pages.map(({ text }) => text).join('\n')
const [, setup = ''] = /```sh setup\n([\s\S]*?)```/.exec(guide) ?? []

/** The commands of a page, in their order. */
function commandsIn(text: string): string {
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block).join('')
}

describe('docs/integrate/api.md and the pages next to it', () => {
  it.each(pages)('$name has examples that run one after the other in a fresh workspace', async ({ text }) => {
    const { api } = await newWorkspace()
    const env = { TOKEN: api.token, PATH: process.env.PATH }
    const commands = commandsIn(text)
    const script = `${setup.replace('http://localhost:3000', inject('service').url)}${commands.replaceAll('curl ', 'curl -sS --fail-with-body -o /dev/null -w "%{http_code}\\n" ')}`
    const { stdout } = await promisify(execFile)('bash', ['-e', '-c', script], { env })
    const statuses = stdout.trim().split('\n')
    expect(statuses.length).toBeGreaterThan(4)
    expect(statuses).toHaveLength(commands.split('curl ').length - 1)
    for (const status of statuses) expect(status).toMatch(/^20[014]$/)
  })

  it('names every include', () => {
    for (const name of Object.values(registry).flatMap(includeNames)) expect(guide).toContain(`\`${name}\``)
  })

  it.each([FILTER_CONDITIONS_MAX, FILTER_LIST_MAX, PAGE_MAX, RATE_WORKSPACE, RATE_READS, RATE_WRITES])(
    'names the limit %s',
    (limit) => {
      expect(guide).toMatch(new RegExp(`\\b${limit.toLocaleString('en-US')}\\b`))
    },
  )
})
