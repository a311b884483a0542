import { beforeAll, describe, expect, it } from 'vitest'
import { workspaceWithOwn } from '../../own-resource.ts'
import { runKith } from '../../run-kith.ts'
import { sharedEnv, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await workspaceWithOwn()
  await workspace.api.post('/companies', { name: 'Acme' })
})

function explain(resource: string, ...options: string[]) {
  return runKith(['explain', resource, '--workspace', workspace.slug, ...options], sharedEnv())
}

type Step = { sql: string; ms: number; rows: number; plan: string[] }

describe('kith explain', () => {
  it.each([
    ['a list', 'companies', [], /from .*records/],
    ['a filter', 'companies', ['--query', '{"filter": {"name": {"$contains": "acme"}}}'], /search/],
    ['a list of an own resource', 'projects', ['--query', '{"sort": "-name"}'], /name_key/],
    ['a summary', 'companies', ['--summary', '{"group_by": ["accountOwner"]}'], /group by/],
  ])('shows the statements of %s, and how the database finds their rows', async (_, resource, options, statement) => {
    const { code, stdout, stderr } = await explain(resource, ...options, '--json')
    expect(code, stderr).toBe(0)
    const steps: Step[] = JSON.parse(stdout)
    expect(steps.map(({ sql }) => sql).join('\n')).toMatch(statement)
    for (const { sql, ms, plan } of steps) {
      expect(plan.join('\n'), sql).toMatch(/search|scan|result|aggregate/i)
      expect(ms).toBeGreaterThan(0)
    }
    const { stdout: text } = await explain(resource, ...options)
    expect(text.match(/^-- [\d.]+ ms, \d+ rows?$/gm)).toHaveLength(steps.length)
  })

  it.each([
    ['companis', [], 'No resource has the code companis. Did you mean companies?'],
    ['companies', ['--query', 'name'], '--query must be a JSON object'],
    ['companies', ['--query', '{"sorted": "name"}'], 'The parameter sorted is not known.'],
    ['companies', ['--query', '{}', '--summary', '{}'], 'Write --query or --summary, not both.'],
  ])('says what is wrong: %s %s', async (resource, options, message) => {
    const { code, stderr } = await explain(resource, ...options)
    expect(code).not.toBe(0)
    expect(stderr).toContain(message)
  })
})
