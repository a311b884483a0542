import { expect, it } from 'vitest'
import { openBrowser, signedInMember } from '../browser.ts'
import { ownService } from '../own-service.ts'
import { startService } from '../setup/service.ts'
import { whenFileEnds } from '../when-file-ends.ts'

it('the limit of requests per person holds across nodes', async () => {
  const own = await ownService({ RATE_LIMIT_SESSION: '4' })
  const workspace = await own.workspace()
  const person = await signedInMember(workspace, 'viewer', own.url)
  const node = await startService(own.env)
  whenFileEnds(() => node.stop())
  const there = openBrowser(node.url)
  for (const [name, value] of person.browser.cookies) there.cookies.set(name, value)
  const path = `/w/${workspace.slug}/v1/companies`
  const statuses = []
  for (const browser of [person.browser, there, there, person.browser, person.browser, there])
    statuses.push((await browser.get(path)).status)
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
})
