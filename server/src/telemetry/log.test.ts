import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openLog } from './log.ts'

/** Lines that are written together and apart, as the event loop takes its turns. */
async function expectEnd({ logger, flush, close }: ReturnType<typeof openLog>): Promise<void> {
  for (let line = 0; line < 100; line++) {
    logger.info('x'.repeat(5000))
    flush()
    await setImmediate()
  }
  expect(await close()).toBeUndefined()
}

it('a log on a full disk stops neither the service nor its end', async () => {
  await expectEnd(openLog('info', '/dev/full'))
})

it('a log whose reader has gone stops neither the service nor its end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kith-log-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  // Opened here: without a reader, the log would wait for one.
  const writer = openSync(pipe, constants.O_WRONLY)
  const log = openLog('info', writer)
  closeSync(reader)
  await expectEnd(log)
  closeSync(writer)
  rmSync(folder, { recursive: true })
})
