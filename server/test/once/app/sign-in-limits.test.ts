import { beforeAll, describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { type Browser, newUser, openBrowser, PASSWORD } from '../../browser.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import { isLong } from '../../run-length.ts'

describe('attempts to sign in are limited', () => {
  let own: OwnService

  beforeAll(async () => {
    own = await ownService({ SIGN_IN_LIMIT_ACCOUNT: '3', SIGN_IN_LIMIT_ADDRESS: '4', TRUST_PROXY: 'true' })
  })

  type Try = { password?: string; browser?: Browser }

  async function tried(address: string, email: string, { password = 'wrong password', browser }: Try = {}) {
    const headers = { 'X-Forwarded-For': address }
    return (browser ?? openBrowser(own.url)).post('/sign-in', { email, password }, { headers })
  }

  it('an attacker does not lock out the owner, who has another address', async () => {
    const user = await newUser(own.runtime)
    for (let i = 0; i < 4; i++) await tried('198.51.100.1', user.email)
    expect((await tried('198.51.100.1', user.email, { password: PASSWORD })).status).toBe(429)
    expect((await tried('198.51.100.2', user.email, { password: PASSWORD })).status).toBe(200)
  })

  it('one network of IPv6 is one address', async () => {
    const user = await newUser(own.runtime)
    for (let i = 0; i < 3; i++) expect((await tried(`2001:db8:1:2::${i}`, user.email)).status).toBe(422)
    expect((await tried('2001:db8:1:2:9::9', user.email)).status).toBe(429)
    expect((await tried('2001:db8:1:3::1', user.email)).status).toBe(422)
  })

  it.runIf(isLong)('from many addresses together are slowed down, and a browser that is known is not', async () => {
    const user = await newUser(own.runtime)
    const known = openBrowser(own.url)
    expect((await tried('203.0.113.200', user.email, { password: PASSWORD, browser: known })).status).toBe(200)
    const [cookie = ''] = known.cookies.keys().filter((name) => name.startsWith('kith.device_'))
    expect(cookie).not.toBe('')
    const attempts: Answered[] = []
    while (attempts.length < 35 && attempts.at(-1)?.status !== 429) {
      attempts.push(await tried(`203.0.113.${attempts.length}`, user.email))
    }
    const refused = attempts.at(-1)
    expect(refused?.status).toBe(429)
    expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(10)
    // Even from an address that has no attempts left.
    for (let i = 0; i < 5; i++) await tried('203.0.113.201', user.email)
    await known.post('/sign-out')
    const again = await tried('203.0.113.201', user.email, { password: PASSWORD, browser: known })
    expect(again.status).toBe(200)
    // A known browser has a budget of its own, which is small.
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await tried('203.0.113.202', user.email, { browser: known })).status)
    expect(statuses).toContain(429)
  })

  it('a browser is known for the account alone that it has signed in to, and by no cookie of its own making', async () => {
    const [user, other] = [await newUser(own.runtime), await newUser(own.runtime)]
    const browser = openBrowser(own.url)
    await tried('203.0.113.210', user.email, { password: PASSWORD, browser })
    const [name = '', value = ''] = [...browser.cookies].find(([one]) => one.startsWith('kith.device_')) ?? []
    for (let i = 0; i < 3; i++) await tried('203.0.113.211', other.email)
    expect((await tried('203.0.113.211', other.email, { password: PASSWORD, browser })).status).toBe(429)
    for (let i = 0; i < 3; i++) await tried('203.0.113.212', user.email)
    const forged = openBrowser(own.url)
    forged.cookies.set(
      name,
      value.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A')),
    )
    expect((await tried('203.0.113.212', user.email, { password: PASSWORD, browser: forged })).status).toBe(429)
  })

  it('for each address, whatever accounts are tried', async () => {
    for (let i = 0; i < 4; i++) expect((await tried('192.0.2.101', `person${i}@example.com`)).status).toBe(422)
    expect((await tried('192.0.2.101', 'another@example.com')).status).toBe(429)
    expect((await tried('192.0.2.102', 'another@example.com')).status).toBe(422)
  })
})
