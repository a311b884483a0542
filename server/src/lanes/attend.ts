import { parentPort, workerData } from 'node:worker_threads'
import type { Engine } from '../db/engine.ts'
import { openEngine } from '../db/open-engine.ts'
import type { House } from '../scope.ts'
import { carryOut } from './carry-out.ts'
import { READY } from './ready.ts'
import type { Order, Reply } from './threads.ts'

export type ThreadRole = 'reader' | 'writer'
export type ThreadSettings = { url: string; secret: string }

type Given = { role: ThreadRole; settings: ThreadSettings }

/** The inside of a thread: takes orders until it is told to end. */
function attend(port: NonNullable<typeof parentPort>, { role, settings }: Given): void {
  const engine: Engine = openEngine({ url: settings.url, connections: 1 }, { writes: role === 'writer' })
  const house: House = { engine, secret: settings.secret, now: () => new Date() }
  port.on('message', async ({ id, order }: { id: number; order: Order | null }) => {
    if (order === null) {
      await engine.close()
      port.close()
      return
    }
    port.postMessage({ id, reply: await follow(house, order) })
  })
  port.postMessage({ id: READY })
}

async function follow(house: House, order: Order): Promise<Reply> {
  if ('call' in order) return { answer: await carryOut(house, order.call) }
  try {
    const { sql, parameters } = order.statement
    return { outcome: await house.engine.single.session.run(sql, parameters) }
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}

if (parentPort) attend(parentPort, workerData)
