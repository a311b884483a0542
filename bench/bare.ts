import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Case } from './cases.ts'
import { calibrate, load, type Target } from './load.ts'
import { percentile } from './numbers.ts'
import type { Rounds } from './sides.ts'

export type Bare = Awaited<ReturnType<typeof startBare>>

/** A bare Fastify server. It shows what the machine and the load allow at most. */
export async function startBare() {
  const child = fork(join(import.meta.dirname, 'bare-process.ts'))
  // The process sends its address when it listens and after each answer that it takes over.
  const [url] = (await once(child, 'message')) as [string]
  return { measure, stop: () => child.kill() }

  /** Requests per second of a case when every request gets the bytes that the service answers to the first one. */
  async function measure({ api, token }: Target, one: Case, { rounds, seconds }: Rounds): Promise<number> {
    child.send(await answerTo({ api, token }, one))
    await once(child, 'message')
    const target = { api: url, token, pid: child.pid ?? 0 }
    const amount = await calibrate(target, one, seconds)
    const rates: number[] = []
    for (let round = 0; round < rounds; round++) rates.push((await load(target, one, { amount })).perSecond)
    return percentile(rates, 50)
  }
}

async function answerTo({ api, token }: Omit<Target, 'pid'>, { method, requests }: Case): Promise<string> {
  const [{ path, body } = { path: '' }] = requests
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const response = await fetch(`${api}/${path.replace(/^\//, '')}`, { method, headers, ...(body && { body }) })
  if (!response.ok) throw new Error(`${path} got ${response.status}: ${await response.text()}`)
  return response.text()
}
