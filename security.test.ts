import { existsSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = import.meta.dirname
const page = readFileSync(join(root, 'docs/operate/security.md'), 'utf8')
const files = new Map(
  [...page.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, name = '', path = '']) => [
    name,
    normalize(join('docs/operate', path)),
  ]),
)

/** `| threat | defence | [file] › `title` |` */
const rows = (page.split('\n## ').find((section) => section.startsWith('Threats')) ?? '')
  .split('\n')
  .filter((line) => /^\| /.test(line) && !/^\| (threat|---)/.test(line))
  .map((line) => {
    const [, threat = '', , tests = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
    return {
      threat,
      named: [...tests.matchAll(/\[([^\]]+)\] › `([^`]+)`/g)].map(([, file = '', title = '']) => ({ file, title })),
    }
  })

describe('docs/operate/security.md', () => {
  it('names a test for every line of the threat model', () => {
    expect(rows.length).toBeGreaterThan(30)
    expect(rows.filter(({ named }) => named.length === 0).map(({ threat }) => threat)).toEqual([])
  })

  it('names tests that exist', () => {
    const lost = rows
      .flatMap(({ named }) => named)
      .filter(({ file, title }) => {
        const path = files.get(file)
        return (
          path === undefined || !existsSync(join(root, path)) || !readFileSync(join(root, path), 'utf8').includes(title)
        )
      })
    expect(lost).toEqual([])
  })

  it('names no test that is left out when the others run', () => {
    const left = [...files.values()].filter((path) =>
      /\b(describe|it|test)\.(skip|only|todo|fails)\b/.test(readFileSync(join(root, path), 'utf8')),
    )
    expect(left).toEqual([])
  })
})
