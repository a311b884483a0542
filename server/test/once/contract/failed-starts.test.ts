import { chmodSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../engine.ts'
import { failedStart } from '../../failed-start.ts'
import { newFolder } from '../../installation.ts'

describe('8. Configuration: bad values stop the start with the whole list of problems', () => {
  it('one line for each, which names the variable and what it accepts', async () => {
    const wrong = {
      PORT: 'many',
      HOST: 'not a host',
      DATABASE_URL: 'mysql://root:password-1@db/kith',
      DATABASE_CONNECTIONS: '0',
      APP_URL: 'crm.example.com',
      API_DOMAIN: 'https://api.example.com',
      TRUST_PROXY: 'perhaps',
      SECRET: 'secret-2',
      LOG_LEVEL: 'loud',
      HOSTED: 'maybe',
      SMTP_URL: 'http://user:password-3@mail.example.com',
      RATE_LIMIT_WORKSPACE: '-1',
      RATE_LIMIT_READS: '1.5',
      RATE_LIMIT_WRITES: 'none',
      KITH_PORT: '3000',
      KITH_NOTHING: 'x',
    }
    const { code, lines } = await failedStart(wrong)
    expect(code).not.toBe(0)
    expect(lines.map((line) => line.split(':')[0]).sort()).toEqual(Object.keys(wrong).sort())
    for (const secret of ['password-1', 'secret-2', 'password-3']) expect(lines.join()).not.toContain(secret)
    expect(lines.find((line) => line.startsWith('RATE_LIMIT_READS'))).toMatch(/1\.5.*whole number/)
    expect(lines.find((line) => line.startsWith('KITH_PORT'))).toMatch(/PORT/)
  })

  it('a secret file that is not there', async () => {
    const { code, lines } = await failedStart({
      SMTP_URL_FILE: '/nowhere/smtp',
      STRIPE_SECRET_KEY_FILE: '/nowhere/stripe',
    })
    expect(code).not.toBe(0)
    expect(lines.sort()).toEqual([
      expect.stringMatching(/^SMTP_URL_FILE: .*\/nowhere\/smtp/),
      expect.stringMatching(/^STRIPE_SECRET_KEY_FILE: .*\/nowhere\/stripe/),
    ])
  })
})

it('a start on a port that is taken says so in one clear line', async () => {
  const server = createServer()
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    }),
  )
  const database = await testDatabase()
  const { code, lines } = await failedStart({ DATABASE_URL: database.url, PORT: String(port) })
  expect(code).toBe(1)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(new RegExp(`^The service cannot listen on port ${port} of 127\\.0\\.0\\.1: .*in use`))
  server.close()
  await database.drop()
})

it('a folder in the place of the database is refused, and stays as it was', async () => {
  const folder = newFolder()
  chmodSync(folder, 0o755)
  const { code, lines } = await failedStart({ DATABASE_URL: `file:${folder}` })
  expect([code, lines]).toEqual([1, [expect.stringContaining(folder)]])
  expect(statSync(folder).mode & 0o777).toBe(0o755)
})
