import type { Browser } from '../browser.ts'

/** Signs in at the provider as somebody would, form by form, and returns the address to which it leads back. */
export async function visitProvider(url: string, login: string): Promise<string> {
  const cookies = new Map<string, string>()
  let next = { url, body: undefined as URLSearchParams | undefined }
  for (let step = 0; step < 12; step++) {
    const response = await fetch(next.url, {
      method: next.body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(next.body ? { body: next.body } : {}),
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location !== null) {
      const target = new URL(location, next.url)
      if (target.pathname.startsWith('/api/auth/')) return target.href
      next = { url: target.href, body: undefined }
      continue
    }
    const page = await response.text()
    const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1]
    const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1]
    if (action === undefined || prompt === undefined)
      throw new Error(`The provider showed no form: ${page.slice(0, 500)}`)
    const typed = { prompt, ...(prompt === 'login' ? { login, password: 'any' } : {}) }
    next = { url: new URL(action, next.url).href, body: new URLSearchParams(typed) }
  }
  throw new Error('The provider went round in circles.')
}

/** Comes back from the provider with this address, and tells where the service leads. */
export async function comeBack(browser: Browser, callback: string): Promise<string> {
  const { pathname, search } = new URL(callback)
  const response = await fetch(browser.url + pathname + search, {
    redirect: 'manual',
    headers: { Cookie: browser.cookie() },
  })
  for (const set of response.headers.getSetCookie()) browser.keep(set)
  return response.headers.get('location') ?? `${response.status} ${await response.text()}`
}

/** From the button on the sign-in page to the page that is shown in the end. */
export async function signInThrough(browser: Browser, login: string, next = '/'): Promise<string> {
  const { body } = await browser.post('/sign-in/provider', { next })
  return comeBack(browser, await visitProvider(body.data.url, login))
}
