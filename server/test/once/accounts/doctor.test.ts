import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../engine.ts'
import { runKith } from '../../run-kith.ts'

let database: TestDatabase
let folder: string
const ownEnv = () => ({ DATABASE_URL: database.url, SECRET: 's'.repeat(40) })

beforeAll(async () => {
  database = await testDatabase()
  folder = mkdtempSync(join(tmpdir(), 'kith-doctor-'))
  expect(await runKith(['migrate'], ownEnv())).toMatchObject({ code: 0 })
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await database.drop()
})

type Finding = { check: string; state: string; text: string; remedy?: string }
const findingsOf = async (env: Record<string, string>, ...args: string[]) => {
  const { code, stdout } = await runKith(['doctor', '--json', ...args], { ...ownEnv(), ...env })
  const findings: Finding[] = JSON.parse(stdout)
  return { code, states: Object.fromEntries(findings.map(({ check, state }) => [check, state])), findings }
}

describe('kith doctor', () => {
  test('checks everything and says what to do', async () => {
    // Nothing listens on port 1.
    const env = { APP_URL: 'http://127.0.0.1:1', SMTP_URL: 'smtp://127.0.0.1:1', RATE_LIMIT_WRITE: '1' }
    const { code, states, findings } = await findingsOf(env, '--backups', join(folder, 'none'))
    expect(code).toBe(1)
    expect(states).toEqual({
      version: 'ok',
      settings: 'problem',
      database: 'ok',
      disk: expect.stringMatching(/ok|problem/),
      clock: 'ok',
      mail: 'problem',
      proxy: 'problem',
      backups: 'advice',
    })
    expect(findings.find(({ check }) => check === 'settings')?.text).toContain('Did you mean RATE_LIMIT_WRITES?')
  })

  test('finds a database that is missing, and old backups', async () => {
    const missing = await findingsOf({ DATABASE_URL: `file:${join(folder, 'elsewhere', 'kith.db')}` })
    expect(missing).toMatchObject({ code: 1, states: { settings: 'problem' } })
    const file = join(folder, 'old.kith')
    writeFileSync(file, '')
    utimesSync(file, 0, 0)
    const { states, findings } = await findingsOf({ APP_URL: 'http://127.0.0.1:1' }, '--backups', folder)
    expect(states).toMatchObject({ backups: 'problem', mail: 'advice', settings: 'ok' })
    expect(findings.at(-1)?.text).toContain(` in ${folder} `)
  })

  test('says where it looked for backups', async () => {
    const textOf = async (...args: string[]) => {
      const { findings } = await findingsOf({ APP_URL: 'http://127.0.0.1:1' }, ...args)
      return findings.find(({ check }) => check === 'backups')
    }
    const [there = '/var/backups/kith'] = ['/var/backups/kith', resolve('backups')].filter((path) => existsSync(path))
    expect((await textOf())?.text).toContain(there)
    const named = await textOf('--backups', 'nowhere')
    expect(named?.text).toBe(`No backups were found: ${resolve('nowhere')} does not exist.`)
    expect(named?.remedy).toContain('--backups')
  })
})
