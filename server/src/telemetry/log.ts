import { type Logger, pino } from 'pino'

export type Log = {
  logger: Logger
  flush(): void
  /** Writes the remaining lines, if possible. */
  close(): Promise<void>
}

/** How much of a log waits to be written, in bytes. Lines beyond that are dropped. */
const MOST_WAITING = 64 * 1024 * 1024

/**
 * A log that is written in the background. If it cannot be written because the disk is full, the service continues
 * without it, and retries. It does not retry if the reader has gone.
 */
export function openLog(level: string, dest: number | string = 1): Log {
  const destination = pino.destination({ dest, sync: false, minLength: 4096, maxLength: MOST_WAITING })
  let isAbandoned = false
  destination.on('error', (error: NodeJS.ErrnoException) => {
    // After an error this would retry forever and block the whole process.
    destination.flushSync = () => {}
    // Pino gives up a pipe whose reader has gone: nothing is written to it any more, and it is never closed.
    if (error.code === 'EPIPE') isAbandoned = true
  })
  const flushing = setInterval(() => destination.flush(), 500)
  flushing.unref()
  return {
    logger: pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination),
    flush: () => destination.flush(),
    async close() {
      clearInterval(flushing)
      if (isAbandoned) return
      await new Promise((resolve) => {
        destination.once('close', resolve).once('error', resolve)
        destination.end()
      })
    },
  }
}
