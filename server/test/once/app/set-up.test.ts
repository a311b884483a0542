import { describe, expect, it } from 'vitest'
import { apiAt } from '../../api.ts'
import { openBrowser, PASSWORD } from '../../browser.ts'
import { type OwnService, ownService } from '../../own-service.ts'

const LINK = /http:\/\/localhost:\d+\/set-up\?token=([\w-]+)/

const form = { name: 'Ada Byron', email: 'ada@example.com', password: PASSWORD, workspace_name: 'Ada & Co' }

/** The service is ready a moment before it says so. */
async function printedToken({ service }: OwnService): Promise<string> {
  await expect.poll(() => service.output()).toMatch(LINK)
  return LINK.exec(service.output())?.[1] ?? ''
}

describe('the first start', () => {
  it('prints a link with which the owner and the workspace are made, once', async () => {
    const own = await ownService()
    const token = await printedToken(own)
    const browser = openBrowser(own.url)
    expect((await browser.get('/start')).body.data).toEqual({
      needs_set_up: true,
      signed_in: false,
      hosted: false,
      mail: false,
      version: '1.0.0',
      api_url: expect.stringMatching(/^http:\/\/[^/]+\/api$/),
      mcp_url: expect.stringMatching(/^http:\/\/[^/]+\/mcp$/),
      provider: null,
      guide: expect.any(Boolean),
    })
    for (const wrong of ['', 'x', `${token}x`, token.replace(/^./, (c) => (c === 'A' ? 'B' : 'A'))]) {
      expect((await browser.post('/set-up', { ...form, token: wrong })).status).toBe(wrong === '' ? 422 : 403)
    }
    const short = await browser.post('/set-up', { ...form, token, password: 'short', email: 'ada' })
    expect(Object.keys(short.body.errors).sort()).toEqual(['email', 'password'])

    const made = await browser.post('/set-up', { ...form, token, sample: false })
    expect(made).toMatchObject({ status: 201, body: { data: { slug: 'ada-co' } } })
    expect((await browser.get('/start')).body.data).toMatchObject({ needs_set_up: false, signed_in: true })
    const { user, workspaces } = (await browser.get('/session')).body.data
    expect(user).toMatchObject({ name: 'Ada Byron', email: 'ada@example.com' })
    expect(workspaces).toEqual([{ id: expect.any(String), slug: 'ada-co', name: 'Ada & Co', role: 'owner' }])
    const again = { ...form, token, email: 'eve@example.com' }
    expect((await openBrowser(own.url).post('/set-up', again)).status).toBe(403)
    await own.stop()
  })

  it('of several who open the link at once one gets in; sample data comes on request', async () => {
    const own = await ownService()
    const token = await printedToken(own)
    const tries = Array.from({ length: 4 }, (_, i) =>
      openBrowser(own.url).post('/set-up', { ...form, email: `p${i}@example.com`, token, sample: true }),
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort()
    expect(statuses).toEqual([201, 403, 403, 403])
    const browser = openBrowser(own.url)
    for (let i = 0; i < 4; i++) {
      if ((await browser.post('/sign-in', { email: `p${i}@example.com`, password: PASSWORD })).status === 200) break
    }
    const { counts } = (await browser.get('/w/ada-co/workspace')).body.data
    expect(counts.companies).toBeGreaterThan(10)
    await own.stop()
  })

  it('with an account there is no link, and an old one opens nothing', async () => {
    const own = await ownService()
    const token = await printedToken(own)
    const workspace = await own.workspace()
    expect((await openBrowser(own.url).post('/set-up', { ...form, token })).status).toBe(403)
    expect((await apiAt(own.url, workspace.api.token).get('/companies')).status).toBe(200)
    await own.stop()
  })
})
