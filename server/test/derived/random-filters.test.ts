import { parseQueryString } from '@kith/contract/query-string'
import { registry } from '@kith/contract/registry'
import { type BuiltInName, resourceNames } from '@kith/contract/resource'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import type { RawParameters } from '../../src/records/expected.ts'
import { type ListPage, listRecords } from '../../src/records/list.ts'
import type { Scope } from '../../src/scope/scope.ts'
import { inAddress } from '../filtering.ts'
import { inRun } from '../run-length.ts'
import { newWorkspace } from '../workspace.ts'
import { type Filter, matches } from './evaluate-filter.ts'
import { inOrder } from './evaluate-order.ts'
import { fieldFiltersOf, filtersOf } from './random-filter.ts'
import { makeWorld, type World } from './random-world.ts'

const SEED = 20261114
const RUNS = Number(process.env.RANDOM_FILTERS ?? inRun({ short: 30, long: 3000 }))

let world: World
beforeAll(async () => {
  world = await makeWorld(await newWorkspace(), SEED)
})

it('random filters find what a small in-memory evaluator finds, in its order, and count it', async () => {
  const filters = filtersOf(world)
  await expectAgreement((type) => ({
    filter: fc.oneof({ arbitrary: filters(type), weight: 12 }, fc.constant({})),
    sort: sortOf(type),
    by: fc.constantFrom('page', 'cursor'),
    narrow: fc.constantFrom(0, 5, 1000),
    counted: fc.constantFrom(0, 1000),
  }))
}, 600_000)

it('likewise where the page and the total are found by going through an index once', async () => {
  const filters = fieldFiltersOf(world)
  await expectAgreement((type) => ({
    filter: filters(type),
    sort: fc.constantFrom('created_at', '-created_at'),
    by: fc.constant('page'),
    narrow: fc.constantFrom(0, 3),
    counted: fc.constant(1000),
  }))
}, 600_000)

type Question = { filter: Filter; sort: string; by: string; narrow: number; counted: number }

function expectAgreement(
  questionsOf: (type: BuiltInName) => { [K in keyof Question]: fc.Arbitrary<Question[K]> },
): Promise<void> {
  const question = fc.constantFrom(...resourceNames).chain((type) =>
    fc.record({
      type: fc.constant(type),
      notation: fc.constantFrom('body', 'address'),
      per_page: fc.constantFrom(20, 100, 100, 100),
      ...questionsOf(type),
    }),
  )
  return fc.assert(
    fc.asyncProperty(question, async ({ type, filter, sort, by, notation, per_page, narrow, counted }) => {
      const expected = world.records[type]
        .filter((record) => !record.deleted && matches(world, type, filter, record))
        .toSorted(inOrder(world, type, sort))
        .map((record) => record.id)
      const scope = scopeWith(narrow, counted)
      const ask = (more: object) => list(scope, type, filter, notation, { ...more, sort, per_page })
      const scanned = by === 'cursor' && !sort.includes('custom_fields')
      expect(scanned ? await scan(ask) : await leaf(ask, expected.length)).toEqual(expected)
    }),
    { numRuns: RUNS },
  )
}

function sortOf(type: BuiltInName): fc.Arbitrary<string> {
  const { label } = registry[type]
  const codes = ['f_text', 'f_number', 'f_date', 'f_date_time', 'f_checkbox', 'f_select', 'f_currency', 'f_radio']
  const native = fc.constantFrom(label, 'created_at', 'updated_at')
  const key = fc.oneof(
    { arbitrary: native, weight: 2 },
    fc.constantFrom(...codes.map((code) => `custom_fields.${code}`)),
  )
  const directed = fc.tuple(fc.constantFrom('', '-'), key).map(([sign, name]) => sign + name)
  return fc
    .uniqueArray(directed, { minLength: 1, maxLength: 2, selector: (name) => name.replace('-', '') })
    .map((keys) => keys.join(','))
}

/** Few records are gathered and many scanned through. With another idea of what many are, both ways are taken here. */
function scopeWith(narrowMax: number, countedMax: number): Scope {
  const { engine, ...rest } = world.scope
  return { ...rest, engine: { ...engine, narrowMax: () => narrowMax, countedMax: () => countedMax } }
}

function list(scope: Scope, type: BuiltInName, filter: Filter, notation: string, more: object): Promise<ListPage> {
  const { filter: inText } = parseQueryString(inAddress(filter), () => {})
  const loose = notation === 'address'
  const asked: RawParameters = { raw: { ...more, filter: loose ? inText : filter }, loose, issues: [] }
  return listRecords(scope, registry[type], asked)
}

/** Turns all pages; each must tell the same total. */
async function leaf(ask: (more: object) => Promise<ListPage>, total: number): Promise<string[]> {
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const listed = await ask({ page })
    expect(listed).toMatchObject({ by: 'page', total })
    ids.push(...listed.data().map(({ id }) => id))
    if (listed.count < listed.per_page) return ids
  }
}

/** Scans along the cursors to the end. */
async function scan(ask: (more: object) => Promise<ListPage>): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = 'true'; cursor !== null; ) {
    const listed: ListPage = await ask({ cursor })
    ids.push(...listed.data().map(({ id }) => id))
    cursor = listed.by === 'cursor' ? listed.next_cursor : null
  }
  return ids
}
