import { type Logger, pino } from 'pino'

export type Log = {
  logger: Logger
  flush(): void
  /** Writes what is left, if it can be written. */
  close(): Promise<void>
}

/** How much of a log waits to be written, in bytes. Lines beyond that are dropped. */
const MOST_WAITING = 64 * 1024 * 1024

/**
 * A log that is written in the background. Where it cannot be written (its disk is full, or its reader has gone), the
 * service goes on without it, and tries again.
 */
export function openLog(level: string, dest: number | string = 1): Log {
  const destination = pino.destination({ dest, sync: false, minLength: 4096, maxLength: MOST_WAITING })
  // After an error this would try again forever, and stop the whole process meanwhile.
  destination.on('error', () => {
    destination.flushSync = () => {}
  })
  const flushing = setInterval(() => destination.flush(), 500)
  flushing.unref()
  return {
    logger: pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination),
    flush: () => destination.flush(),
    async close() {
      clearInterval(flushing)
      await new Promise((resolve) => {
        destination.once('close', resolve).once('error', resolve)
        destination.end()
      })
    },
  }
}
