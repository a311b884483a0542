import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../engine.ts'
import { type Installation, installation, newFolder } from '../installation.ts'

const PARTS = 4

let one: Installation

beforeAll(async () => {
  one = await installation('postgres', undefined, testDatabase)
  expect(await one.kith('migrate', '--partitions', String(PARTS))).toMatchObject({ code: 0 })
  await one.kith('user', 'create', '--email', 'ada@example.com', '--name', 'Ada')
  for (const slug of ['one', 'two']) {
    await one.kith('workspace', 'create', '--name', slug, '--owner', 'ada@example.com', '--slug', slug)
    await one.kith('sample', '--workspace', slug, '--companies', '200', '--people', '200', '--tasks', '100')
  }
})

describe('kith migrate --partitions', () => {
  it.each([
    ['a list with its total', '--query', { sort: 'name' }],
    ['a filter by a value', '--query', { filter: { custom_fields: { icp: { $eq: true } } } }],
    ['a part of a name', '--query', { filter: { name: { $contains: 'lab' } } }],
    ['a condition on related records', '--query', { filter: { people: { name: { $contains: 'an' } } } }],
    ['a list with counts', '--query', { include: 'people,peopleCount,tasksCount' }],
    ['a summary', '--summary', { measure: 'count', group_by: ['custom_fields.icp'] }],
  ])('stores a workspace in one part of each table, and %s reads no other', async (_, option, body) => {
    const ran = await one.kith('explain', 'companies', '--workspace', 'one', option, JSON.stringify(body), '--json')
    // The output of the command.
    const steps = JSON.parse(ran.stdout) as { plan: string[] }[]
    const lines = steps.flatMap(({ plan }) => plan).filter((line) => !line.includes('never executed'))
    const parts = Map.groupBy(lines.flatMap(tablePart), ({ table }) => table)
    expect(parts.size).toBeGreaterThan(0)
    for (const [table, read] of parts) expect([table, new Set(read.map(({ part }) => part)).size]).toEqual([table, 1])
  })

  it('gives every part its indexes back after a large load', async () => {
    const client = new pg.Client({ connectionString: one.database.url })
    await client.connect()
    const { rows } = await client.query(`select tablename as name, count(*)::int as indexes from pg_indexes
      where tablename ~ '^records(_\\d+)?$' group by tablename`)
    await client.end()
    expect(rows.map(({ name }) => name).toSorted()).toEqual(['records', ...numbers.map((part) => `records_${part}`)])
    expect(new Set(rows.map(({ indexes }) => indexes)).size).toBe(1)
  })

  it('gives every part the settings of its table', async () => {
    const client = new pg.Client({ connectionString: one.database.url })
    await client.connect()
    const { rows } = await client.query(`select relname as name from pg_class
      where array_to_string(reloptions, ' ') like '%vacuum_scale_factor=0.005%' order by 1`)
    await client.end()
    expect(rows.map(({ name }) => name)).toEqual(numbers.map((part) => `field_values_${part}`))
  })

  it('takes a backup of plain tables, and keeps its parts', async () => {
    const plain = await installation('postgres', undefined, testDatabase)
    await plain.kith('migrate')
    const file = `${newFolder()}/parts.kith`
    expect(await one.kith('backup', file)).toMatchObject({ code: 0 })
    expect(await plain.kith('restore', file)).toMatchObject({ code: 0 })
    expect(await plain.kith('backup', '--force', file)).toMatchObject({ code: 0 })
    expect(await one.kith('restore', '--replace', file)).toMatchObject({ code: 0 })
    expect(await one.kith('migrate', '--partitions', String(PARTS))).toMatchObject({ code: 0 })
    expect(await plain.kith('migrate', '--partitions', '8')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('have no partitions, and that cannot change'),
    })
  })

  it.each(['1', '129', '2.5', 'many'])('refuses %s', async (count) => {
    expect(await one.kith('migrate', '--partitions', count)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--partitions takes a whole number from 2 to 128'),
    })
  })

  it('refuses SQLite', async () => {
    const file = await installation('sqlite')
    expect(await file.kith('migrate', '--partitions', '4')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Only PostgreSQL has partitions'),
    })
  })
})

const numbers = Array.from({ length: PARTS }, (_, part) => part)

/** The part of a table that a line of a plan reads: `Index Scan using … on records_3 r0`. */
function tablePart(line: string) {
  const [, table, part] = /\bon (\w+)_(\d+)\b/.exec(line) ?? []
  return table === undefined ? [] : [{ table, part }]
}
