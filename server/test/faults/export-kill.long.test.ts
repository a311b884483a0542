import { expect, it } from 'vitest'
import { loadSample } from '../../src/sample/load.ts'
import { openExport, readExport } from '../exported.ts'
import { ownProcess } from '../own-service.ts'
import { inRun } from '../run-length.ts'
import { startService } from '../setup/service.ts'

/** Too many to be sent before the kill. */
const RECORDS = inRun({ short: 12_000, long: 100_000 })

it('an export that a kill cuts off is not mistaken for a complete one, and continues after its last line', async () => {
  const own = await ownProcess()
  const workspace = await own.workspace()
  await loadSample(await workspace.scope(), { sizes: { people: RECORDS }, seed: 1 })
  const response = await openExport(workspace.api, '/people/export')
  const decoder = new TextDecoder()
  let text = ''
  const reading = async () => {
    for await (const chunk of response.body ?? []) {
      if (text === '') own.service.process.kill('SIGKILL')
      text += decoder.decode(chunk, { stream: true })
    }
  }
  await expect(reading()).rejects.toThrow()
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  const before = lines.slice(0, -1).map((line) => JSON.parse(line).id)
  expect(before.length).toBeGreaterThan(0)
  const restarted = await startService(own.env)
  const { base, token } = workspace.api
  const api = { ...workspace.api, token, base: base.replace(own.url, restarted.url) }
  const rest = await readExport(api, `/people/export?after=${before.at(-1)}`)
  expect([...before, ...rest.ids]).toEqual((await readExport(api, '/people/export?fields=name')).ids)
  expect(before.length + rest.ids.length).toBe(RECORDS)
  await restarted.stop()
})
