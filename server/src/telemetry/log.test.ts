import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openLog } from './log.ts'

it('a log on a full disk stops neither the service nor its end', async () => {
  const { logger, flush, close } = openLog('info', '/dev/full')
  for (let line = 0; line < 3; line++) {
    logger.info('x'.repeat(5000))
    flush()
    await setTimeout(20)
  }
  expect(await close()).toBeUndefined()
})

it('a log whose reader has gone stops neither the service nor its end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kith-log-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const { logger, flush, close } = openLog('info', pipe)
  await setTimeout(20)
  closeSync(reader)
  for (let line = 0; line < 3; line++) {
    logger.info('one line')
    flush()
    await setTimeout(20)
  }
  expect(await close()).toBeUndefined()
  rmSync(folder, { recursive: true })
})
