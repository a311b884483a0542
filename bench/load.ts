import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Question } from './cases.ts'

export type Target = {
  url: string
  token: string
  method: 'GET' | 'POST'
  requests: readonly Question[]
  /** Whether each request names a host of its own. */
  hosts?: boolean
}

export type Measured = { perSecond: number; p50: number; p99: number; errors: number; cpuPerRequest: number }

const CONNECTIONS = 32

/** Loads a target from a process of its own for so many seconds. */
export async function load(
  target: Target,
  seconds: number,
  pid: number | undefined,
  connections = CONNECTIONS,
): Promise<Measured> {
  const before = pid === undefined ? 0 : cpuSeconds(pid)
  const child = spawn(process.execPath, [fileURLToPath(new URL('./load-process.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify({ ...target, connections, seconds }))
  let text = ''
  child.stdout.on('data', (part) => {
    text += part
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  if (code !== 0) throw new Error(`The load ended with code ${code}.`)
  const { count, p50, p99, errors, elapsed } = JSON.parse(text)
  const cpu = pid === undefined ? 0 : cpuSeconds(pid) - before
  return { perSecond: count / elapsed, p50, p99, errors, cpuPerRequest: cpu / Math.max(1, count) }
}

const SETTLING_MS = 30_000
const IDLE_SHARE = 0.85

/**
 * Waits until the machine has little left to do: the service and its database may still work for those who have gone. Not for long, for it may be
 * busy with something else.
 */
export async function settled(): Promise<void> {
  const until = Date.now() + SETTLING_MS
  for (let share = 0; share < IDLE_SHARE && Date.now() < until; ) {
    const before = cpuTimes()
    await new Promise((resolve) => setTimeout(resolve, 500))
    const now = cpuTimes()
    share = (now.idle - before.idle) / Math.max(1, now.all - before.all)
  }
}

function cpuTimes(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times)
  const sum = (of: (time: (typeof times)[number]) => number) => times.reduce((total, time) => total + of(time), 0)
  return { idle: sum(({ idle }) => idle), all: sum(({ idle, user, sys, nice, irq }) => idle + user + sys + nice + irq) }
}

/** CPU time of a process with all its threads so far. */
export function cpuSeconds(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const fields = rest.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** What a service holds that has just started and is asked for nothing. */
export async function memoryAtRest(pid: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 5000))
  return memoryMegabytes(pid)
}

export function memoryMegabytes(pid: number): number {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+)/m)
  return Math.round(Number(line?.[1] ?? 0) / 1024)
}
