import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '../setup/postgres.ts'
import { whenFileEnds } from '../when-file-ends.ts'

const SCRIPT = fileURLToPath(new URL('../../../deploy/patroni/cluster.sh', import.meta.url))
const WHOLE_MS = 180_000

/** Writers run in this process: nothing may block it. */
const execute = promisify(execFile)

/** What Patroni tells of a server. */
type Member = {
  name: string
  role: 'leader' | 'sync_standby' | 'replica'
  state: string
  timeline?: number
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** What deploy/patroni/cluster.sh starts, until the test file ends. */
export async function startCluster() {
  if (!existsSync('/usr/bin/patroni')) throw new Error('This test needs Patroni: npm run test:install -- --long.')
  const folder = mkdtempSync(join(tmpdir(), 'kith-patroni-'))
  const run = async (action: string, ...args: string[]) => (await execute(SCRIPT, [action, folder, ...args])).stdout
  whenFileEnds(async () => {
    await run('stop')
    rmSync(folder, { recursive: true, force: true })
  })
  const [proxy = '', servers = ''] = (await run('start', String(await freePort()))).trim().split('\n')
  const addresses = /@([^/]+)/.exec(servers)?.[1]?.split(',') ?? []
  const port = readFileSync(join(folder, 'port'), 'utf8').trim()

  async function members(): Promise<Member[]> {
    for (const address of addresses) {
      const signal = AbortSignal.timeout(2000)
      try {
        const answer = await fetch(`http://${address}:8008/cluster`, { signal })
        if (answer.ok) return (await answer.json()).members
      } catch {
        // This server is away: the next one knows it, too.
      }
    }
    return []
  }

  const pids = async (node: string) =>
    (await execute('ip', ['netns', 'pids', `kith${port}-${node}`])).stdout.split('\n').filter(Boolean).map(Number)

  return {
    proxy,
    servers,
    run,
    pids,
    pidOf: (name: string) => Number(readFileSync(join(folder, `${name}.pid`), 'utf8')),
    async memberAs(role: Member['role']): Promise<string> {
      const member = (await members()).find((one) => one.role === role)
      if (!member) throw new Error(`No server is ${role}: ${JSON.stringify(await members())}`)
      return member.name
    },
    /** Throws if Patroni does not say that it is done. */
    async control(...args: string[]): Promise<void> {
      const settings = join(folder, 'node1/patroni.yml')
      const { stdout } = await execute('patronictl', ['-c', settings, ...args, '--force'])
      if (!stdout.includes('Success')) throw new Error(`patronictl ${args.join(' ')}:\n${stdout}`)
    },
    /** Waits until all servers run, and one of them can take over without losing anything. */
    async whole(): Promise<void> {
      for (const until = Date.now() + WHOLE_MS; ; await setTimeout(500)) {
        const all = await members()
        if (isWhole(all)) return
        if (Date.now() > until) throw new Error(`The cluster did not come back: ${JSON.stringify(all)}`)
      }
    },
  }
}

function isWhole(all: readonly Member[]): boolean {
  const roles = all.map(({ role }) => role).sort()
  const runs = all.every(({ state }) => state === 'running' || state === 'streaming')
  return runs && roles.join() === 'leader,replica,sync_standby' && new Set(all.map((one) => one.timeline)).size === 1
}

/** As a machine does when it runs out of memory: at once, without a word. */
export function kill(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended with the one before it.
    }
  }
}
