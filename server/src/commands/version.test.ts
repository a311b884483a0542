import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const main = join(root, 'server/src/main.ts')

describe('kith --version', () => {
  // Without an environment, because the command needs no database and no secret.
  it.each(['--version', 'version'])('prints the version of the root package (%s)', (word) => {
    const printed = execFileSync(process.execPath, [main, word], { env: {}, encoding: 'utf8' })
    expect(printed).toBe(`${versionOf('.')}\n`)
  })

  it('is the same in all workspaces and the newest one of the changelog', () => {
    const versions = ['contract', 'sdk', 'server', 'web'].map(versionOf)
    const newest = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/m.exec(read('CHANGELOG.md'))?.[1]
    expect([...versions, newest]).toEqual(Array(5).fill(versionOf('.')))
  })
})

function versionOf(folder: string): string {
  return JSON.parse(read(join(folder, 'package.json'))).version
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
