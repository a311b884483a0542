import { describe, expect, it } from 'vitest'
import { aField } from '../field-types/test-field.ts'
import { schemaOf } from '../registry.ts'
import { type BuiltInName, resourceIn } from '../resource.ts'
import { resolveColumns } from './columns.ts'
import type { Mapping } from './settings.ts'
import { nameOfTarget, targetNames } from './target.ts'

const schema = schemaOf(
  [],
  [
    aField('domain', { code: 'domains', name: 'Domains', unique: true }),
    aField('number', { code: 'employees', name: 'Head count', id: 'employees' }),
    aField('email', { code: 'emails', name: 'Emails', unique: true, entity_type: 'people' }),
  ],
)

type Options = { mapping?: Mapping; match?: string | null; of?: BuiltInName }

function resolved(header: string[], { mapping = {}, match = null, of = 'companies' }: Options = {}) {
  const { targets, problems } = resolveColumns(header, { resource: resourceIn(schema, of), mapping, match })
  return { targets: targets.map((target) => target && nameOfTarget(target)), problems }
}

describe('a column', () => {
  it.each([
    ['name', 'name'],
    [' NAME ', 'name'],
    ['custom_fields.domains', 'custom_fields.domains'],
    ['Domains', 'custom_fields.domains'],
    ['employees', 'custom_fields.employees'],
    ['head COUNT', 'custom_fields.employees'],
    ['account_owner_id', 'account_owner_id'],
    ['external_ids.crm', 'external_ids.crm'],
  ])('is matched by its name to a target, a code or a field name, in any letter case: %s', (column, target) => {
    expect(resolved([column])).toEqual({ targets: [target], problems: [] })
  })

  it('goes where the mapping says, or nowhere', () => {
    const mapping = { Website: 'custom_fields.domains', name: 'external_ids.old', Secret: null }
    expect(resolved(['Website', 'name', 'Secret'], { mapping })).toEqual({
      targets: ['custom_fields.domains', 'external_ids.old', null],
      problems: [],
    })
  })

  it('of an export or of failed rows that cannot be written is left out', () => {
    const header = ['id', 'created_at', 'updated_at', 'creation_source', 'people_count', 'errors']
    expect(resolved(header)).toEqual({ targets: header.map(() => null), problems: [] })
    expect(resolved(['id'], { match: 'id' }).targets).toEqual(['id'])
  })

  it('can name a record by a unique field or an external id', () => {
    const header = ['company_id.domains', 'name']
    expect(resolved(header, { of: 'people' }).targets).toEqual(['company_id.domains', 'name'])
    expect(resolved(['people_ids.emails', 'company_ids.external_ids.crm'], { of: 'tasks' }).targets).toEqual([
      'people_ids.emails',
      'company_ids.external_ids.crm',
    ])
    expect(resolved(['company_id.employees'], { of: 'people' }).problems).toHaveLength(1)
  })

  it('that is neither mapped nor known is named, with the nearest target', () => {
    const { problems } = resolved(['name', 'Domain', 'Wholly unknown', ''])
    expect(problems).toEqual([
      expect.stringMatching(
        /^The columns "Domain" \(did you mean domains\?\), "Wholly unknown", "" are neither mapped nor known\./,
      ),
    ])
    expect(problems[0]).toContain(`Targets: ${targetNames(resourceIn(schema, 'companies')).join(', ')}.`)
  })

  it('of two thousand is named with a limit', () => {
    const [problem = ''] = resolved(Array.from({ length: 2000 }, (_, index) => `column ${index}`)).problems
    expect(problem).toContain('and 1990 more are neither mapped nor known')
    expect(problem.length).toBeLessThan(1000)
  })
})

describe('a header', () => {
  it('has one column for each target', () => {
    expect(resolved(['name', 'Firm'], { mapping: { Firm: 'name' } }).problems).toEqual([
      'The columns "name" and "Firm" both go to name. Map all but one of them to null.',
    ])
    expect(resolved(['company_id', 'company_id.domains'], { of: 'people' }).problems).toHaveLength(1)
  })

  it('has every column that the mapping names', () => {
    expect(resolved(['name'], { mapping: { nmae: null } }).problems).toEqual([
      'The mapping names "nmae" (did you mean "name"?), which the file does not have.',
    ])
  })

  it('has the column by which records are found', () => {
    expect(resolved(['name'], { match: 'domains' }).problems).toEqual([
      'No column goes to domains, by which the import finds its records.',
    ])
    expect(resolved(['Domains', 'name'], { match: 'domains' }).problems).toEqual([])
    expect(resolved(['external_ids.crm'], { match: 'external_ids.crm' }).problems).toEqual([])
  })
})
