import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '../../../src/accounts/users.ts'
import { createWorkspace } from '../../../src/accounts/workspaces.ts'
import { type Answer, BadUsage, type Context, describeFailure } from '../../../src/commands/command.ts'
import { field } from '../../../src/commands/field.ts'
import { parseArguments } from '../../../src/commands/run-command.ts'
import { withDatabase } from '../../../src/commands/with-database.ts'
import { readConfig } from '../../../src/config.ts'
import { type TestDatabase, testDatabase } from '../../engine.ts'

let database: TestDatabase
let context: Context
beforeAll(async () => {
  database = await testDatabase()
  context = {
    config: readConfig({ DATABASE_URL: database.url, SECRET: 'x'.repeat(32) }),
    creates: true,
    groups: {},
    now: () => new Date(),
    readInput: async () => new Uint8Array(),
    ending: () => new AbortController().signal,
    environment: () => ({}),
    printError: () => {},
    write: async () => {},
    isInteractive: false,
    columns: undefined,
    tell: () => {},
    serve: async () => {},
  }
  await withDatabase(context, async (runtime) => {
    await createUser(runtime, { email: 'ada@example.com', name: 'Ada' })
    await createWorkspace(runtime, { name: 'Acme', owner: 'ada@example.com', slug: 'acme' })
  })
})
afterAll(() => database.drop())

async function kith(verb: string, ...args: string[]): Promise<Answer> {
  const command = field.verbs[verb]
  if (!command) throw new Error(`There is no kith field ${verb}.`)
  const { values } = parseArguments(`field ${verb}`, command.options, ['--workspace', 'acme', ...args])
  const answer = await command.run(values, context)
  if (!answer) throw new Error('The command says nothing.')
  return answer
}

async function failure(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'It did not fail.',
    (error) => describeFailure(error),
  )
}

const tier = ['--entity', 'companies', '--code', 'tier']

test('kith field makes, changes, archives, restores, deletes and lists fields', async () => {
  const made = await kith(
    'create',
    '--entity',
    'companies',
    '--name',
    'Tier',
    '--type',
    'select',
    '--options',
    'Gold, Silver',
    '--required',
  )
  expect(made.text).toBe('Created the select field tier of companies.')
  expect(made.json).toMatchObject({ code: 'tier', required: true, position: 4, system: false, archived_at: null })

  const choices = ['--add-options', 'Tin,Lead', '--remove-options', 'Silver', '--rename-option', 'Gold=Platinum']
  const rest = ['--name', 'Level', '--no-required', '--position', '1', '--description', 'How dear']
  const changed = await kith('update', ...tier, ...choices, ...rest)
  expect(changed.text).toBe('Changed the field tier of companies.')
  expect(changed.json).toMatchObject({
    name: 'Level',
    required: false,
    position: 1,
    description: 'How dear',
    duplicates: 0,
  })
  expect(changed.json).toMatchObject({ options: [{ label: 'Platinum' }, { label: 'Tin' }, { label: 'Lead' }] })

  expect((await kith('archive', ...tier)).json).toMatchObject({ archived_at: expect.any(String) })
  expect((await kith('list', '--entity', 'companies')).text).toMatch(
    /companies +- +tier +Level +select +archived +Platinum, Tin, Lead/,
  )
  expect((await kith('restore', ...tier)).json).toMatchObject({ archived_at: null, position: 1 })
  expect(await failure(kith('delete', ...tier))).toBe('The field tier must be archived before it can be deleted.')
  await kith('archive', ...tier)
  expect((await kith('delete', ...tier)).json).toEqual({ entity_type: 'companies', code: 'tier', deleted: true })
  expect((await kith('list')).json).toHaveLength(16)
  expect((await kith('list', '--entity', 'tasks', '--code', 'status')).json).toMatchObject([
    { code: 'status', system: true },
  ])
})

test('every option of a field can be given', async () => {
  const people = ['--entity', 'people']
  const price = await kith(
    'create',
    ...people,
    '--name',
    'Price',
    '--type',
    'currency',
    '--currency',
    'EUR',
    '--decimals',
    '0',
  )
  expect(price.json).toMatchObject({ settings: { currency: 'EUR', decimals: 0 } })
  const line = await kith(
    'create',
    ...people,
    '--name',
    'Line',
    '--type',
    'text',
    '--max-length',
    '9',
    '--unique',
    '--code',
    'row',
  )
  expect(line.json).toMatchObject({ code: 'row', unique: true, settings: { max_length: 9 } })
  const sites = await kith('create', ...people, '--name', 'Sites', '--type', 'link', '--multiple', '--max-values', '7')
  expect(sites.json).toMatchObject({ multiple: true, max_values: 7 })
  const once = await kith(
    'update',
    ...people,
    '--code',
    'sites',
    '--no-multiple',
    '--no-description',
    '--no-unique',
    '--required',
  )
  expect(once.json).toMatchObject({ multiple: false, max_values: 1, description: null, required: true })
})

test('a problem is reported in one line', async () => {
  expect(await failure(kith('create', '--entity', 'company', '--name', 'X', '--type', 'text'))).toBe(
    'The --entity must be one of: companies, people, opportunities, tasks, notes.',
  )
  expect(
    await failure(kith('create', '--entity', 'people', '--name', 'X', '--type', 'text', '--max-length', 'nine')),
  ).toBe('The settings.max_length must be a whole number from 1 to 10000.')
  expect(await failure(kith('archive', '--entity', 'companies', '--code', 'domain'))).toBe(
    'No custom field with the code domain exists for companies. Did you mean domains?',
  )
  expect(await failure(kith('update', '--entity', 'companies', '--code', 'icp', '--required', '--no-required'))).toBe(
    'Give either --required or --no-required, not both.',
  )
  await expect(kith('update', '--entity', 'tasks', '--code', 'status', '--rename-option', 'Done')).rejects.toThrow(
    BadUsage,
  )
})
