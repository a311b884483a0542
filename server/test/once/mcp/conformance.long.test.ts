import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Check, type Conformance, proxyWithToken, runConformance } from '../../mcp-conformance.ts'
import { ownService } from '../../own-service.ts'

const FIXTURE = "needs a tool of the suite's test server"
const INPUT = "needs a tool of the suite's test server; no tool of Kith asks for input while it runs"
const TASKS = 'is about an extension that Kith does not have'

/** Scenarios, or single checks of them, that do not apply to Kith, and why. */
const exceptions: readonly (readonly [string | RegExp, string])[] = [
  ['completion-complete', 'is about completions, which Kith does not declare'],
  ['logging-set-level', 'is about log messages, which Kith does not declare'],
  [/^resources-(un)?subscribe$/, 'is about subscriptions, which Kith does not declare'],
  [/^tools-call-(simple-text|image|audio|embedded-resource|mixed-content|error)$/, FIXTURE],
  [/^tools-call-with-(logging|progress)$/, FIXTURE],
  [/^(tools-call-(sampling|elicitation)|elicitation-sep\d+-(defaults|enums))$/, INPUT],
  [/^input-required-result-/, INPUT],
  [/^resources-(read-(text|binary)|templates-read)$/, "needs a resource of the suite's test server"],
  [/^prompts-get-/, "needs a prompt of the suite's test server"],
  ['json-schema-2020-12', FIXTURE],
  ['http-custom-header-server-validation', 'is about parameters in headers, which no tool of Kith declares'],
  [/^server-stateless: sep-2575-(server-rejects-undeclared-capability|missing-capability-http-400)$/, INPUT],
  ['server-stateless: sep-2575-http-server-no-independent-requests-on-stream', FIXTURE],
  ['server-stateless: sep-2575-server-no-log-without-loglevel', FIXTURE],
  [/^tasks-/, TASKS],
]

const revisions = ['2025-11-25', '2026-07-28'] as const

describe('the official conformance suite', () => {
  const results: Record<string, Conformance> = {}

  beforeAll(async () => {
    const proxy = await proxyWithToken()
    const own = await ownService({ APP_URL: proxy.url, RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' })
    const { api } = await own.workspace()
    proxy.serveAt(own.url, api.token)
    for (const revision of revisions) results[revision] = await runConformance(proxy.url, revision)
  })

  it.each(revisions)('passes for revision %s, apart from what does not apply', (revision) => {
    const failing = Object.entries(results[revision] ?? {}).flatMap(([scenario, checks]) =>
      checks.filter(isFailure).flatMap(({ id, errorMessage }) => {
        return reasonFor(scenario, id) === undefined ? [`${scenario}: ${id}: ${errorMessage}`] : []
      }),
    )
    expect(failing).toEqual([])
    expect(Object.keys(results[revision] ?? {}).length).toBeGreaterThan(30)
  })

  it('every message that Kith sends is valid for its revision', () => {
    const checks = Object.values(results).flatMap((scenarios) => Object.values(scenarios).flat())
    const schemas = checks.filter(({ id }) => id === 'wire-schema-valid')
    expect(schemas.length).toBeGreaterThan(40)
    expect(schemas.filter(isFailure)).toEqual([])
  })

  it('docs/internals/mcp-conformance.md shows the results (vitest -u rewrites it)', async () => {
    const page = join(import.meta.dirname, '../../../../docs/internals/mcp-conformance.md')
    await expect(pageOf(results)).toMatchFileSnapshot(page)
  })
})

function isFailure({ status }: Check): boolean {
  return status === 'FAILURE'
}

function reasonFor(scenario: string, check: string): string | undefined {
  const names = [scenario, `${scenario}: ${check}`]
  const known = exceptions.find(([name]) =>
    names.some((one) => (typeof name === 'string' ? one === name : name.test(one))),
  )
  return known?.[1]
}

function pageOf(all: Record<string, Conformance>): string {
  const parts = revisions.flatMap((revision) => [
    `## Revision ${revision}`,
    '',
    '| Scenario | Passed | Result |',
    '| --- | --- | --- |',
    ...Object.entries(all[revision] ?? {}).map(([scenario, checks]) => rowOf(scenario, checks)),
    '',
  ])
  return [
    '# MCP conformance',
    '',
    'The results of the official conformance suite (`@modelcontextprotocol/conformance`) against the MCP server, with a',
    'reason for each scenario that does not apply. `server/test/once/mcp/conformance.long.test.ts` runs the suite and checks',
    'this page.',
    '',
    ...parts,
  ].join('\n')
}

function rowOf(scenario: string, checks: readonly Check[]): string {
  const counted = checks.filter(({ status }) => status === 'SUCCESS' || status === 'FAILURE')
  const failed = counted.filter(isFailure)
  const [reason] = failed.map(({ id }) => reasonFor(scenario, id))
  const fine = counted.length === 0 ? 'skipped by the suite' : 'passes'
  const result = failed.length === 0 ? fine : `does not apply: ${reason}`
  const some = failed.length > 0 && reasonFor(scenario, '') === undefined
  const told = some ? `passes; ${failed.map(({ id }) => `\`${id}\``).join(' and ')} ${reason}` : result
  return `| ${scenario} | ${counted.length - failed.length} of ${counted.length} | ${told} |`
}
