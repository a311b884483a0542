import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { companyKinds, companyWords } from '../../src/sample/words.ts'
import type { Engine } from '../../src/storage/engines/engine.ts'
import { openEngine } from '../../src/storage/engines/open-engine.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { migrate } from '../../src/storage/migrations/migrate.ts'

/** So many that the search chooses by which trigrams to begin. */
const TEXTS = 24_000
/** So far back that the numbers of its texts are beyond those of JavaScript. */
const FIELD = 9000
const folder = mkdtempSync(join(tmpdir(), 'kith-search-'))
let engine: Engine

beforeAll(async () => {
  engine = openEngine({ url: `file:${join(folder, 'kith.db')}`, connections: 1 }, { writes: true })
  await migrate(engine, new Date())
  const texts = Array.from({ length: TEXTS }, (_, index) => textOf(index))
  await engine.transaction(async (inside) => {
    await sql`insert into search_fields (seq, workspace, field) values (${FIELD}, 1, 7)`.run(inside)
    await sql`insert into search_texts (seq, text)
      select (${FIELD} << 40) | (key + 1), value from json_each(${JSON.stringify(texts)})`.run(inside)
  })
})

afterAll(async () => {
  await engine.close()
  rmSync(folder, { recursive: true })
})

function textOf(index: number): string {
  const word = (list: readonly string[], step: number) => list[(index * step) % list.length]
  return `${word(companyWords, 7)} "${word(companyWords, 11)}" ${word(companyKinds, 5)} ${index % 1000}`.toLowerCase()
}

const middle = textOf(12_345)
const parts = [
  middle,
  middle.slice(2, 9),
  middle.slice(4, 20),
  middle.slice(-12),
  '" ',
  'er "',
  'er "a',
  ' 12',
  'studios 99',
  'no such text',
  'aaaaaaa',
  'rre',
]

it.each(parts)('finds just the texts that hold %j', async (part) => {
  const found = await engine.search.containing(1, 7, [part]).column(engine.db)
  const expected = Array.from({ length: TEXTS }, (_, index) => index).filter((index) => textOf(index).includes(part))
  expect(found.toSorted((one, other) => Number(one) - Number(other))).toEqual(expected.map((index) => index + 1))
})
