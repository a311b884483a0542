import { expect, it } from 'vitest'
import { read } from '../../../../scripts/source-files.ts'
import { ownProcess } from '../../own-service.ts'

const METRICS_TOKEN = 'a-token-for-the-metrics'

const isSqlite = process.env.TEST_ENGINE === 'sqlite'

/** Given by Prometheus itself. */
const scraped = ['up', 'instance', 'job', 'le']

it('the dashboard and the alerts use metrics and labels that the service has', async () => {
  const own = await ownProcess({ METRICS_TOKEN })
  await (await own.workspace()).api.get('/companies')
  const answer = await fetch(`${own.url}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } })
  const text = await answer.text()
  const known = new Set([...text.matchAll(/^(?:# TYPE )?(\w+)/gm)].map(([, name]) => name))
  const labels = new Map<string, Set<string>>()
  for (const [, name = '', inside = ''] of text.matchAll(/^(\w+)\{(.*)\} /gm)) {
    const seen = labels.get(name) ?? new Set()
    labels.set(name, seen)
    for (const [, label = ''] of inside.matchAll(/(\w+)="/g)) seen.add(label)
  }

  const used = expressions().flatMap((expression) => {
    const names = [...expression.matchAll(/\b(?:kith|nodejs|process)_\w+|\bup\b/g)].map(([name]) => name)
    const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/))
    const selected = [...expression.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label)
    return names.map((name) => ({ expression, name, needs: [...grouped, ...selected] }))
  })
  expect(used.length).toBeGreaterThan(20)
  const wrong = used.filter(({ name, needs }) => {
    // SQLite has no pool of connections.
    if (scraped.includes(name) || (name === 'kith_pool_connections' && isSqlite)) return false
    // Refusals have no labels until the first one.
    const own = labels.get(name) ?? (name === 'kith_shed_total' ? new Set(['reason']) : new Set())
    return !known.has(name) || needs.some((label) => !own.has(label) && !scraped.includes(label))
  })
  expect(wrong).toEqual([])
  await own.stop()
})

/** Every query of the dashboard and of the alerts. */
function expressions(): string[] {
  const { panels }: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(read('deploy/grafana-dashboard.json'))
  const alerts = [...read('deploy/prometheus-rules.yaml').matchAll(/^\s*expr: (.*)$/gm)].map(([, text = '']) => text)
  return [...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)), ...alerts]
}
