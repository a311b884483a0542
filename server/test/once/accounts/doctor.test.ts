import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
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
      files: 'ok',
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
    expect(findings.at(-1)?.text).toContain(` in ${folder}: 1.`)
  })

  test('says where it looked for backups', async () => {
    const findingIn = async (...args: string[]) => {
      const { findings } = await findingsOf({ APP_URL: 'http://127.0.0.1:1' }, ...args)
      return findings.find(({ check }) => check === 'backups')
    }
    const usual = await findingIn()
    for (const path of ['/var/backups/kith', resolve('backups')]) expect(usual?.text).toContain(`${path}: `)
    const named = await findingIn('--backups', 'nowhere')
    expect(named).toMatchObject({
      state: 'advice',
      text: `Backups in ${resolve('nowhere')}: no such folder. None was found.`,
    })
    expect(named?.remedy).toContain('--backups')
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    expect(await findingIn('--backups', empty)).toMatchObject({
      state: 'problem',
      text: `Backups in ${empty}: 0. None was found.`,
    })
  })

  test('reads the latest backup', async () => {
    const backups = join(folder, 'read')
    const checked = async () => {
      const { findings } = await findingsOf({ APP_URL: 'http://127.0.0.1:1' }, '--backups', backups)
      return findings.at(-1)
    }
    expect((await runKith(['backup', `${backups}/`], ownEnv())).code).toBe(0)
    expect(await checked()).toMatchObject({ state: 'ok', text: expect.stringMatching(/It is complete: \d+ rows\./) })
    const [name = ''] = readdirSync(backups)
    truncateSync(join(backups, name), 200)
    expect(await checked()).toMatchObject({ state: 'problem', text: expect.stringContaining('damaged or incomplete') })
  })

  test('completes its report when a folder of backups cannot be read', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const { code, findings } = await findingsOf({ APP_URL: 'http://127.0.0.1:1' }, '--backups', file)
    expect(code).toBe(1)
    expect(findings.at(-1)).toMatchObject({
      check: 'backups',
      state: 'problem',
      text: `Backups in ${file}: not a directory. None was found.`,
    })
  })
})
