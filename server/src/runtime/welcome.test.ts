import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { welcome } from './welcome.ts'

const SECRET = 'a-secret-that-is-long-enough-for-anyone'

function commandIn(env: Record<string, string>): string | undefined {
  const text = welcome(readConfig({ SECRET, ...env }), { program: 'npx kith', setUpToken: 't', environment: env })
  return /^ {2}(.*) user create/m.exec(text)?.[1]
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
