import { expect, it } from 'vitest'
import { type Browser, openBrowser, signedInMember } from '../../browser.ts'
import { closeStreamsAfterEach, listenTo } from '../../event-stream.ts'
import { madeResource } from '../../own-resource.ts'
import { ownService } from '../../own-service.ts'
import { newWorkspace } from '../../workspace.ts'

closeStreamsAfterEach()

function listen(browser: Browser, slug: string, lastId?: string) {
  const headers = { Cookie: browser.cookie(), ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }) }
  return listenTo(`${browser.url}/api/app/w/${slug}/events`, headers)
}

it('reports which resources were changed by anyone, and changes of fields', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'viewer')
  const stream = await listen(browser, workspace.slug)
  expect(stream.response.headers.get('content-type')).toContain('text/event-stream')
  await expect.poll(() => stream.heard('ready')).toHaveLength(1)
  await workspace.api.post('/people', { name: 'Ada' })
  await expect.poll(() => stream.heard('change').map((one) => one.data)).toEqual(['{"resources":["people"]}'])
  await workspace.field('notes', { name: 'Mood', type: 'text' })
  await expect.poll(() => stream.heard('fields')).toHaveLength(1)

  await madeResource(workspace, { name: 'Projects', singular: 'Project' })
  await expect.poll(() => stream.heard('fields')).toHaveLength(2)
  await workspace.api.post('/projects', { name: 'Harbour' })
  await expect.poll(() => stream.heard('change').at(-1)?.data).toBe('{"resources":["projects"]}')

  // A client that reconnects gets what it missed, and only that.
  const lastId = stream.events.at(-1)?.id
  stream.close()
  await workspace.api.post('/tasks', { title: 'Call' })
  const again = await listen(browser, workspace.slug, lastId)
  await expect.poll(() => again.heard('change').map((one) => one.data)).toEqual(['{"resources":["tasks"]}'])
})

it('of another workspace nothing is heard', async () => {
  const workspace = await newWorkspace()
  const other = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'member')
  const strange = await fetch(`${browser.url}/api/app/w/${other.slug}/events`, {
    headers: { Cookie: browser.cookie() },
  })
  expect(strange.status).toBe(404)
  expect((await fetch(`${openBrowser().url}/api/app/w/${workspace.slug}/events`)).status).toBe(401)
  const stream = await listen(browser, workspace.slug)
  await expect.poll(() => stream.heard('ready')).toHaveLength(1)
  await other.api.post('/people', { name: 'Eve' })
  await workspace.api.post('/notes', { title: 'x' })
  await expect.poll(() => stream.heard('change').map((one) => one.data)).toEqual(['{"resources":["notes"]}'])
})

it('ends within seconds when its member is removed, from the command line too, or its session ends', async () => {
  const workspace = await newWorkspace()
  const [removed, signedOut, stays] = [
    await signedInMember(workspace, 'member'),
    await signedInMember(workspace, 'member'),
    await signedInMember(workspace, 'member'),
  ]
  const streams: Awaited<ReturnType<typeof listen>>[] = []
  for (const { browser } of [removed, signedOut, stays]) {
    const stream = await listen(browser, workspace.slug)
    await expect.poll(() => stream.heard('ready')).toHaveLength(1)
    streams.push(stream)
  }
  // As another process would do it: the service is not asked.
  await workspace.remove(removed)
  await signedOut.browser.post('/sign-out')
  await expect.poll(() => streams.map(({ ended }) => ended())).toEqual([true, true, false])
})

it('the number of listeners is limited', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'member')
  for (let i = 0; i < 20; i++) expect((await listen(browser, workspace.slug)).response.status).toBe(200)
  const answer = await browser.get(`/w/${workspace.slug}/events`)
  expect(answer.status).toBe(429)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
})

it('listeners take no capacity from other requests', async () => {
  const own = await ownService({ REQUESTS_AT_ONCE: '5' })
  const workspace = await own.workspace()
  const { browser } = await signedInMember(workspace, 'member', own.url)
  for (let i = 0; i < 10; i++) expect((await listen(browser, workspace.slug)).response.status).toBe(200)
  expect((await browser.get('/session')).status).toBe(200)
  // It also ends them when it is told to stop, and does not wait for them to end by themselves.
  await own.stop()
})
