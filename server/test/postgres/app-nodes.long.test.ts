import { expect, it } from 'vitest'
import { openBrowser, PASSWORD, signedInMember } from '../browser.ts'
import { ownService } from '../own-service.ts'
import { startService } from '../setup/service.ts'

it('the application works across nodes: sessions, what changes, and the limits of sign-in', async () => {
  const one = await ownService({ SIGN_IN_LIMIT_ACCOUNT: '4' })
  const two = await startService(one.env)
  const workspace = await one.workspace()
  const { browser, email } = await signedInMember(workspace, 'member', one.url)
  const there = openBrowser(two.url)
  for (const [name, value] of browser.cookies) there.cookies.set(name, value)

  // A listener at one node gets what is written through the other.
  const hangUp = new AbortController()
  const stream = await fetch(`${one.url}/api/app/w/${workspace.slug}/events`, {
    headers: { Cookie: browser.cookie() },
    signal: hangUp.signal,
  })
  const heard: string[] = []
  void (async () => {
    try {
      for await (const text of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) heard.push(text)
    } catch {
      // The test has hung up.
    }
  })()
  await expect.poll(() => heard.join('')).toContain('event: ready')
  expect((await there.post(`/w/${workspace.slug}/v1/people`, { name: 'Ada' })).status).toBe(201)
  await expect.poll(() => heard.join('')).toContain('{"resources":["people"]}')
  hangUp.abort()

  // A session that ends at one node has ended at the other.
  await there.post('/sign-out')
  expect((await browser.get('/session')).status).toBe(401)

  // Attempts are counted together.
  const tried = async (url: string) =>
    (await openBrowser(url).post('/sign-in', { email, password: 'wrong password' })).status
  for (const url of [one.url, two.url, one.url, two.url]) expect(await tried(url)).toBe(422)
  expect((await openBrowser(two.url).post('/sign-in', { email, password: PASSWORD })).status).toBe(429)
  await two.stop()
  await one.stop()
})
