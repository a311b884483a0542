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
