import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastify } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerWebFiles } from './web-files.ts'

const PAGE = { accept: 'text/html' }

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kith-guide-'))
  for (const name of ['assets', 'use']) mkdirSync(join(folder, name))
  for (const name of ['index.html', '404.html', 'use/index.html', 'use/lists.html']) {
    writeFileSync(join(folder, name), name)
  }
  writeFileSync(join(folder, 'assets/app.js'), 'app')
  writeFileSync(join(folder, 'assets/app.js.br'), 'compressed')
})

afterAll(() => rmSync(folder, { recursive: true }))

function serve(guide: string) {
  const app = fastify()
  app.register(registerWebFiles, { guide })
  return (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
}

describe('the guide', () => {
  it.each([
    ['/guide/', 'index.html'],
    ['/guide/use/', 'use/index.html'],
    ['/guide/use/lists', 'use/lists.html'],
    ['/guide/use/lists?q=views', 'use/lists.html'],
  ])('%s is a page under the policy of the application', async (path, file) => {
    const answer = await serve(folder)(path, PAGE)
    expect(answer).toMatchObject({ statusCode: 200, body: file })
    expect(answer.headers['content-type']).toMatch(/^text\/html/)
    expect(answer.headers['cache-control']).toBe('no-cache')
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';")
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'")
  })

  it('keeps files with a hash in their name for good, and sends them compressed', async () => {
    const answer = await serve(folder)('/guide/assets/app.js', { 'accept-encoding': 'br' })
    expect(answer).toMatchObject({ statusCode: 200, body: 'compressed' })
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
      'content-type': expect.stringMatching(/javascript/),
    })
  })

  it.each([
    ['/guide', '/guide/'],
    ['/guide/use', '/guide/use/'],
  ])('%s leads to %s', async (path, location) => {
    expect(await serve(folder)(path, PAGE)).toMatchObject({ statusCode: 308, headers: { location } })
  })

  it.each(['/guide/nothing', '/guide/..%2fpackage.json', '/guide//evil.example.com'])(
    '%s is not found',
    async (path) => {
      const answer = await serve(folder)(path, PAGE)
      expect(answer).toMatchObject({ statusCode: 404, body: '404.html' })
      expect(answer.headers['content-security-policy']).toContain("script-src 'self'")
    },
  )

  it('says how to build it where it is not built', async () => {
    const answer = await serve(join(folder, 'nothing'))('/guide/use/lists', PAGE)
    expect(answer.statusCode).toBe(404)
    expect(answer.json().message).toBe(
      'The guide is not built. Run npm run docs in the folder of Kith, then start the service again.',
    )
  })
})
