import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case } from './cases.ts'

/** `database` is the process of the database server, if there is one. */
export type Target = { api: string; token: string; pid: number; database?: number | undefined }
export type Measured = { perSecond: number; p50: number; p99: number; errors: number; cpuMicros: number }
/** What the load process gets. It sends this many requests over this many connections. */
export type Job = Pick<Target, 'api' | 'token'> & Case & { amount: number; connections: number }
export type Result = { count: number; p50: number; p99: number; errors: number; seconds: number }
type Amount = { amount: number; connections?: number }

const CONNECTIONS = 16
const PROBE = 64
/** One load process for each service, by the id of the service's process. */
const generators = new Map<number, ChildProcess>()

/** Sends requests from another process until all of them are answered. */
export async function load(
  target: Target,
  one: Case,
  { amount, connections = CONNECTIONS }: Amount,
): Promise<Measured> {
  const before = cpuOf(target)
  const child = generatorFor(target.pid)
  child.send({ ...one, api: target.api, token: target.token, amount, connections } satisfies Job)
  // The load process sends one result for each job.
  const [{ count, p50, p99, errors, seconds }] = (await once(child, 'message')) as [Result]
  const cpuMicros = ((cpuOf(target) - before) / Math.max(1, count)) * 1e6
  return { perSecond: count / seconds, p50, p99, errors, cpuMicros }
}

/** Warms up a case and returns how many requests take about this many seconds. */
export async function calibrate(target: Target, one: Case, seconds: number): Promise<number> {
  const amountAt = ({ perSecond }: Measured) => Math.max(PROBE / 2, Math.round(perSecond * seconds))
  const probe = await load(target, one, { amount: PROBE })
  return amountAt(await load(target, one, { amount: amountAt(probe) }))
}

function generatorFor(pid: number): ChildProcess {
  const child = generators.get(pid) ?? fork(join(import.meta.dirname, 'load-process.ts'))
  generators.set(pid, child)
  return child
}

export function stopGenerators(): void {
  for (const child of generators.values()) child.kill()
  generators.clear()
}

/** CPU time of the service and of its database server. */
export function cpuOf({ pid, database }: Pick<Target, 'pid' | 'database'>): number {
  const ownTicks = (id: number) => sumOf(id, [11, 12])
  if (database === undefined) return ownTicks(pid) / 100
  const children = readFileSync(`/proc/${database}/task/${database}/children`, 'utf8').trim().split(' ').map(Number)
  // The times of children that have ended are counted by their parent.
  const ticks = ownTicks(pid) + sumOf(database, [11, 12, 13, 14]) + children.reduce((sum, id) => sum + ownTicks(id), 0)
  return ticks / 100
}

/** The sum of some fields of a process in /proc; 0 if it has just ended. */
function sumOf(pid: number, fields: readonly number[]): number {
  try {
    const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const values = rest.split(' ')
    return fields.reduce((sum, field) => sum + Number(values[field]), 0)
  } catch {
    return 0
  }
}

export function memoryMegabytes(pid: number): number {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+)/m)
  return Math.round(Number(line?.[1] ?? 0) / 1024)
}
