import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = import.meta.dirname

// docs-guides.test.ts checks links and tags in every run.
describe('the guide', () => {
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kith-guide-site-'))
    // Fails for a page that cannot be compiled and for a link to a page that does not exist.
    const program = join(root, 'node_modules/vitepress/bin/vitepress.js')
    await promisify(execFile)(process.execPath, [program, 'build', 'docs', '--outDir', folder], { cwd: root })
  }, 600_000)

  afterAll(() => rmSync(folder, { recursive: true }))

  it('has every page of docs', () => {
    const written = namesBelow(join(root, 'docs'), '.md')
      .filter((name) => name !== 'sync.md')
      .map((name) => name.replace(/README\.md$/, 'index.md'))
    const built = namesBelow(folder, '.html').map((name) => name.replace(/html$/, 'md'))
    expect(built.filter((name) => name !== '404.md').sort()).toEqual(written.sort())
  })

  it('has no script in its pages, which the policy of the service forbids, and no file that is missing', () => {
    for (const name of namesBelow(folder, '.html')) {
      const page = readFileSync(join(folder, name), 'utf8')
      const inside = [...page.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, text]) => text)
      expect(
        inside.filter((text) => text !== ''),
        name,
      ).toEqual([])
      const files = [...page.matchAll(/(?:src|href)="\/guide\/(assets\/[^"]+)"/g)].map(([, file = '']) => file)
      expect(
        files.filter((file) => !existsSync(join(folder, file))),
        name,
      ).toEqual([])
      expect(page, name).not.toMatch(/<img[^>]* src="(?!\/guide\/|data:)/)
    }
  })
})

function namesBelow(path: string, ending: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith(ending) && !/^(dist|\.vitepress)\//.test(name),
  )
}
