import { fieldTypes } from '@kith/contract/field-types'
import { registry } from '@kith/contract/registry'
import { type BuiltInName, resourceNames } from '@kith/contract/resource'
import { measures, periods } from '@kith/contract/summary'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { readSummary } from '../../src/records/summary.ts'
import { valueTypeNames } from '../field-samples.ts'
import { inRun } from '../run-length.ts'
import { newWorkspace } from '../workspace.ts'
import { type Asked, type Named, summarized } from './evaluate-summary.ts'
import { filtersOf } from './random-filter.ts'
import { codeOf, makeWorld } from './random-world.ts'

const SEED = 20261119
const RUNS = Number(process.env.RANDOM_SUMMARIES ?? inRun({ short: 60, long: 5000 }))

let world: Named
beforeAll(async () => {
  const workspace = await newWorkspace()
  const made = await makeWorld(workspace, SEED)
  const users: { id: string; attributes: { name: string } }[] = (await workspace.api.get('/users')).body.data
  world = { ...made, names: new Map(users.map(({ id, attributes }) => [id, attributes.name])) }
})

it('random summaries equal what a small in-memory evaluator makes of the records', async () => {
  const filters = filtersOf(world)
  const question = fc.constantFrom(...resourceNames).chain((type) =>
    fc.record({
      type: fc.constant(type),
      narrow: fc.constantFrom(0, 1000),
      asked: fc.tuple(fc.oneof(fc.constant({}), filters(type)), measureOf(type)).chain(([filter, measured]) =>
        fc.record({
          filter: fc.constant(filter),
          measure: fc.constant(measured.measure),
          field: fc.constant(measured.field),
          group_by: fc.uniqueArray(fc.constantFrom(...groupsOf(type)), { maxLength: 2 }),
          period: fc.constantFrom(...periods),
          time_zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia'),
          limit: fc.constantFrom(1, 3, 50, 200),
          sort: fc.constantFrom(undefined, 'label', 'value', '-value'),
        }),
      ),
    }),
  )
  const property = fc.asyncProperty(question, async ({ type, narrow, asked }) => {
    const { engine, ...rest } = world.scope
    const scope = { ...rest, engine: { ...engine, narrowMax: () => narrow } }
    const summary = await readSummary(scope, registry[type], { raw: asked, loose: false, issues: [] })
    expect(summary).toEqual(summarized(world, type, asked))
  })
  await fc.assert(property, { numRuns: RUNS, seed: SEED })
}, 600_000)

function measureOf(type: BuiltInName): fc.Arbitrary<Pick<Asked, 'measure' | 'field'>> {
  const measured = measures.flatMap((measure) => fieldsOf(type, measure).map((field) => ({ measure, field })))
  return fc.oneof(fc.constant({ measure: 'count' }), fc.constantFrom(...measured))
}

function fieldsOf(type: BuiltInName, measure: string): string[] {
  const fields = valueTypeNames.filter((name) => {
    const { decimals, isTime, valueKey } = fieldTypes[name]
    if (measure === 'count') return false
    if (measure === 'filled') return true
    if (measure === 'distinct') return valueKey !== undefined
    return decimals !== undefined || (isTime && measure.endsWith('est'))
  })
  const times = measure.endsWith('est') ? ['created_at', 'updated_at'] : []
  const native = measure === 'filled' || measure === 'distinct' ? namesOf(type) : times
  return [...native, ...fields.map((name) => `custom_fields.${codeOf(name)}`)]
}

function namesOf(type: BuiltInName): string[] {
  const { relations } = registry[type]
  const own = Object.keys(relations).filter((name) => relations[name]?.kind !== 'referring')
  return ['creation_source', 'created_at', 'updated_at', ...own]
}

/** Everything that records can be grouped by, also of a related record. */
function groupsOf(type: BuiltInName): string[] {
  const own = (of: BuiltInName) => [
    ...namesOf(of),
    ...valueTypeNames.filter((name) => fieldTypes[name].groupedBy).map((name) => `custom_fields.${codeOf(name)}`),
  ]
  const { relations } = registry[type]
  const steps = namesOf(type).flatMap((name) => {
    const to = resourceNames.find((one) => one === relations[name]?.to)
    return to ? own(to).map((further) => `${name}.${further}`) : []
  })
  return [...own(type), ...steps]
}
