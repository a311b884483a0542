import { once } from 'node:events'
import type { Server } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Log } from '../telemetry/log.ts'

const SHUTDOWN_MS = 25_000
/** Connections are aborted this long before the end, so that the database can be closed properly. */
const CLOSING_MS = 5000
const LAST_LINE_MS = 1000

/** Runs the steps one after the other. Kills the process if they take too long. */
export async function stopInTime(
  log: Log,
  steps: readonly [left: string, end: () => Promise<unknown>][],
): Promise<void> {
  let left: string | undefined
  const overdue = setTimeout(() => {
    // Not with the level fatal, which waits until the log is written.
    log.logger.error({ left, open: process.getActiveResourcesInfo() }, 'The service did not stop in time.')
    log.flush()
    // An exit would wait for a thread that hangs in a system call, such as a write to a log that nobody reads.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_LINE_MS)
  }, SHUTDOWN_MS)
  for (const [name, end] of steps) {
    left = name
    await end()
  }
  clearTimeout(overdue)
}

/** Closes the port and waits for the requests in flight. */
export async function endRequests(
  app: { server: Server; close(): PromiseLike<unknown> },
  logger: Logger,
): Promise<void> {
  const aborting = setTimeout(() => {
    logger.warn('Requests still in flight have been aborted.')
    app.server.closeAllConnections()
  }, SHUTDOWN_MS - CLOSING_MS)
  const ended = app.server.listening ? once(app.server, 'close') : undefined
  await stopListening(app.server)
  await app.close()
  // Fastify no longer waits for the connections, because the port is closed already.
  await ended
  clearTimeout(aborting)
}

/** A turn of the event loop without work takes less than this. */
const IDLE_MS = 0.1
const ROUNDS_MAX = 5000

/**
 * Closes the port at a moment when no connection waits to be accepted. The system resets waiting connections, and a
 * proxy cannot repeat a write that was sent on one of them.
 */
async function stopListening(server: Server): Promise<void> {
  let accepted = 0
  server.on('connection', () => accepted++)
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const [before, begun] = [accepted, performance.now()]
    await setImmediate()
    // One connection is accepted per turn of the event loop.
    if (accepted === before && performance.now() - begun < IDLE_MS) break
  }
  server.close()
}
