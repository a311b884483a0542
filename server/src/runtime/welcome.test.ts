import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { welcome } from './welcome.ts'

const SECRET = 'a-secret-that-is-long-enough-for-anyone'

function commandIn(env: Record<string, string>): string | undefined {
  return /^ {2}(.*) workspace create/m.exec(welcomeWith(env))?.[1]
}

function welcomeWith(env: Record<string, string>): string {
  const config = readConfig({ SECRET, ...env })
  return welcome(config, { program: 'npx kith', port: config.PORT, setUpToken: 't', environment: env })
}

test.each([
  [{}, 'npx kith'],
  [{ DATABASE_URL: 'file:/srv/my data/kith.db' }, "DATABASE_URL='file:/srv/my data/kith.db' npx kith"],
  [
    { DATABASE_URL: 'postgres://kith:hunter2@db:5432/kith' },
    'DATABASE_URL=postgres://kith:PASSWORD@db:5432/kith npx kith',
  ],
  [{ DATABASE_URL: 'postgres://db/kith' }, 'DATABASE_URL=postgres://db/kith npx kith'],
])('printed commands name the database in use, without its password: %j', (env, command) => {
  expect(commandIn(env)).toBe(command)
})

test.each([
  [{}, 'http://localhost:3000', 'npx kith', 'http://localhost:3000/set-up'],
  [{ PORT: '4000' }, 'http://localhost:4000', 'APP_URL=http://localhost:4000 npx kith', 'http://localhost:4000/set-up'],
  [
    { PORT: '4000', HOST: '127.0.0.1', APP_URL: 'https://crm.example.com', API_DOMAIN: 'api.example.com' },
    'http://127.0.0.1:4000',
    'APP_URL=https://crm.example.com npx kith',
    'https://crm.example.com/set-up',
  ],
  [{ HOST: '::1' }, 'http://[::1]:3000', 'npx kith', 'http://localhost:3000/set-up'],
])('printed commands reach the port in use, and links have the address of the service: %j', (env, url, kith, link) => {
  const text = welcomeWith(env)
  expect(text.match(/(?<=curl (?:-X POST )?)http\S+/g)).toEqual([`${url}/api/v1/companies`, `${url}/api/v1/companies`])
  expect(text).toContain(`\n  ${kith} user create`)
  expect(text).toContain(`\n  ${link}?token=t\n`)
})
