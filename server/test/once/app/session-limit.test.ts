import { expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { openBrowser, PASSWORD, signedInMember } from '../../browser.ts'
import { ownService } from '../../own-service.ts'

function expectRefused({ status, headers, body }: Answered, limit: number): void {
  expect(status).toBe(429)
  expect(body.message).toMatch(`the limit of ${limit} requests per person per minute is reached. Retry in `)
  expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/)
  expect(headers.get('x-ratelimit-remaining')).toBe('0')
}

it('requests of a person in the application have one limit for all requests and sessions', async () => {
  const own = await ownService({ RATE_LIMIT_SESSION: '12' })
  const workspace = await own.workspace()
  const person = await signedInMember(workspace, 'viewer', own.url)
  const other = await signedInMember(workspace, 'member', own.url)
  const second = openBrowser(own.url)
  await second.post('/sign-in', { email: person.email, password: PASSWORD })
  const base = `/w/${workspace.slug}`
  const asks = [
    () => person.browser.get(`${base}/v1/companies`),
    () => person.browser.post(`${base}/v1/companies/query`, {}),
    () => person.browser.get(`${base}/v1/search?q=acme`),
    () => person.browser.post(`${base}/v1/companies/summary`, {}),
    () => second.get('/session'),
    // What is refused for another reason counts as well.
    () => second.delete(`${base}/workspace`),
  ]
  const left: (string | null)[] = []
  for (const ask of [...asks, ...asks]) left.push((await ask()).headers.get('x-ratelimit-remaining'))
  expect(left).toEqual(['11', '10', '9', '8', '7', '6', '5', '4', '3', '2', '1', '0'])
  for (const ask of asks) expectRefused(await ask(), 12)
  expectRefused(await person.browser.get(`${base}/events`), 12)
  // Others are not affected, and neither are tokens nor the way out.
  expect((await other.browser.get(`${base}/v1/companies`)).status).toBe(200)
  expect((await workspace.api.get('/companies')).headers.get('x-ratelimit-limit')).toBe('300')
})

it('0 switches the limit off', async () => {
  const free = await ownService({ RATE_LIMIT_SESSION: '0' })
  const person = await signedInMember(await free.workspace(), 'viewer', free.url)
  expect((await person.browser.get('/session')).headers.has('x-ratelimit-limit')).toBe(false)
})
