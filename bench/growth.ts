import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { askOnce } from './ask-once.ts'
import { type Case, casesFor } from './cases.ts'
import { chartOf, type Line } from './chart.ts'
import { cachedSqlite, onCopy } from './data.ts'
import { allowed } from './growth-allowed.ts'
import { type GrowthPoint, growthTable } from './growth-table.ts'
import { load, type Measured, memoryMegabytes, settled } from './load.ts'
import { percentile } from './numbers.ts'
import { writeSection } from './report.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    seconds: { type: 'string', default: '5' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const sizes = values.sizes.split(',').map(Number)
const seconds = Number(values.seconds)
const noLimits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }

/** The sizes take turns; of so many rounds the middle one counts. */
const ROUNDS = 5

/** The same cases in workspaces of growing size: half companies, half people. */
const lines = new Map<string, GrowthPoint[]>()
await withAll(sizes, [], measureAll)
const table = growthTable(sizes, lines)
console.log(table)
if (values.write) {
  const drawn = [...lines].map(
    ([name, points]): Line => ({ name, points: points.map(({ size, perSecond }) => ({ x: size, y: perSecond })) }),
  )
  writeFileSync(join(import.meta.dirname, '..', 'docs', 'growth.svg'), chartOf(drawn))
  writeSection('growth', `![Requests per second by the number of records](growth.svg)\n\n${table}`)
}

/** A service on the data of one size, and what it is asked. */
type World = { size: number; api: string; token: string; pid: number; cases: Case[] }

/** The services of all sizes run side by side, so that what disturbs the machine for a while disturbs all of them. */
async function withAll(
  left: readonly number[],
  worlds: World[],
  work: (worlds: World[]) => Promise<void>,
): Promise<void> {
  const [size, ...others] = left
  if (size === undefined) return work(worlds)
  const made = await cachedSqlite(`growth-${size}`, { companies: size / 2, people: size / 2 })
  await onCopy(made, async (data) => {
    const service = await startService({ DATABASE_URL: data.url, SECRET: data.secret, ...noLimits })
    try {
      const { token } = data
      const api = `${service.url}/api/v1`
      const cases = [...(await casesFor({ token }, api)), deepPage(size / 2)]
      await withAll(others, [...worlds, { size, api, token, pid: service.process.pid ?? 0, cases }], work)
    } finally {
      await service.stop()
    }
  })
}

async function measureAll(worlds: World[]): Promise<void> {
  for (const { name } of worlds[0]?.cases ?? []) {
    if (allowed[name] === undefined || !name.includes(values.only ?? '')) continue
    const points = await measure(name, worlds)
    lines.set(name, points)
    for (const { size, perSecond, cpu, total, first } of points) {
      process.stderr.write(
        `${size}: ${name} ${perSecond}/s, ${cpu} µs CPU, the first in ${first} ms, ${total ?? '–'} in all\n`,
      )
    }
  }
  for (const { size, pid } of worlds) process.stderr.write(`${size}: ${memoryMegabytes(pid)} MB\n`)
}

/**
 * Narrow filters are asked anew each time. A total of half of all records is found once and then known until the next write, so
 * that it is asked again and again, and told by itself how long the first one took.
 */
async function measure(name: string, worlds: readonly World[]): Promise<GrowthPoint[]> {
  await settled()
  const asked = []
  for (const { size, api, token, pid, cases } of worlds) {
    const one = cases.find((other) => other.name === name)
    if (!one) throw new Error(`There is no case ${name} at ${size} records.`)
    const anew = one.anew.length > 0 && !name.endsWith('1 in 2')
    const target = { url: api, token, method: one.method, requests: anew ? one.anew : one.again, hosts: anew }
    const { ms, total } = await askOnce(target)
    await load(target, 1, undefined)
    asked.push({ size, pid, target, first: ms, total, rounds: [] as Measured[] })
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const { target, pid, rounds } of asked) rounds.push(await load(target, seconds / ROUNDS, pid))
  }
  return asked.map(({ size, first, total, rounds }) => {
    const errors = rounds.reduce((sum, round) => sum + round.errors, 0)
    if (errors > 0) throw new Error(`${name} at ${size} records had ${errors} errors.`)
    const middle = (of: (round: Measured) => number) => Math.round(percentile(rounds.map(of), 50))
    return {
      size,
      perSecond: middle((one) => one.perSecond),
      cpu: middle((one) => one.cpuPerRequest * 1e6),
      first,
      total,
    }
  })
}

/** Three quarters down the list, whatever its length. */
function deepPage(companies: number): Case {
  const path = `/companies?page=${Math.floor((companies * 0.75) / 15)}`
  return { name: 'deep page', method: 'GET', again: [{ path }], anew: [{ path }], steady: true }
}
