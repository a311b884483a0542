import type { ResourceName } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import { found, foundInAddress, recordOf, refused, refusedInAddress, refusedInBody } from '../../filtering.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import type { Option, TestWorkspace } from '../../workspace.ts'

const types = testedResources
const singles = ['radio', 'toggle-buttons', 'select']
const multiples = ['checkbox-list', 'multi-select']
const labels = ['Low', 'High', 'Very, very high', 'Größe']
const codeOf = (fieldType: string) => `my_${fieldType.replace('-', '_')}`

let workspace: TestWorkspace
const options = new Map<string, readonly Option[]>()

beforeAll(async () => {
  workspace = await workspaceWithOwn()
  for (const type of types) {
    for (const fieldType of [...singles, ...multiples]) {
      const code = codeOf(fieldType)
      const field = await workspace.field(type, { name: `A ${fieldType}`, type: fieldType, code, options: labels })
      options.set(`${type} ${code}`, field.options)
    }
    for (const name of ['checkbox', 'toggle']) {
      await workspace.field(type, { name: `A ${name}`, type: name, code: codeOf(name) })
    }
    const scope = await workspace.scope()
    const make = (label: string, value: unknown, kinds: readonly string[]) => {
      const custom_fields = Object.fromEntries(kinds.map((kind) => [codeOf(kind), value]))
      return recordOf(scope, type, { label, custom_fields })
    }
    for (const label of labels) await make(`one ${label}`, label, singles)
    for (const list of [['Low'], ['High', 'Low'], ['Very, very high', 'Größe']]) {
      await make(`many ${list.join(' + ')}`, list, multiples)
    }
    await make('unset', null, [...singles, ...multiples])
    await make('yes', true, ['checkbox', 'toggle'])
    await make('no', false, ['checkbox', 'toggle'])
  }
})

function idOf(type: ResourceName, code: string, label: string): string {
  return options.get(`${type} ${code}`)?.find((option) => option.label === label)?.id ?? ''
}

const empties = ['no', 'unset', 'yes']
const ones = ['one Größe', 'one High', 'one Low', 'one Very, very high']
const manies = ['many High + Low', 'many Low', 'many Very, very high + Größe']

describe.each(types)('filters on single choices of %s', (type) => {
  describe.each(singles)('of type %s', (fieldType) => {
    const code = codeOf(fieldType)
    const ask = (test: object) => found(workspace.api, type, { custom_fields: { [code]: test } })
    const inAddress = (rest: string) => foundInAddress(workspace.api, type, `filter[custom_fields][${code}]${rest}`)

    it('$eq takes a label in any case, or an option ID in any case', async () => {
      const id = idOf(type, code, 'Größe')
      for (const operand of ['Größe', 'GRÖSSE', '  größe ', id, id.toUpperCase()]) {
        expect(await ask({ $eq: operand })).toEqual(['one Größe'])
      }
      expect(await ask({ $eq: 'very, VERY high' })).toEqual(['one Very, very high'])
    })

    it('$in and $not_in take lists of both; $not_in also matches records where the field is empty', async () => {
      const list = ['low', idOf(type, code, 'High')]
      expect(await ask({ $in: list })).toEqual(['one High', 'one Low'])
      expect(await ask({ $not_in: list })).toEqual(
        [...manies, ...empties, 'one Größe', 'one Very, very high'].toSorted(),
      )
      expect(await ask({ $in: ['Low', 'low', idOf(type, code, 'Low')] })).toEqual(['one Low'])
    })

    it('$is_empty finds those without a choice', async () => {
      expect(await ask({ $is_empty: false })).toEqual(ones)
      expect(await ask({ $is_empty: true })).toEqual([...manies, ...empties].toSorted())
    })

    it('in a query string, choice lists are split on commas', async () => {
      expect(await inAddress('[$in]=low,High')).toEqual(['one High', 'one Low'])
      expect(await inAddress('[$in]=Low')).toEqual(['one Low'])
      expect(await inAddress(`[$in]=%20low%20%2C${idOf(type, code, 'High')},`)).toEqual(['one High', 'one Low'])
      expect(await inAddress('[$not_in]=low,High')).toHaveLength(8)
    })

    it('repeat the parameter with [] when a label contains a comma; repeating [] sends several values', async () => {
      const parameter = `filter[custom_fields][${code}][$in][]`
      expect(await inAddress('[$in][]=Very, very high')).toEqual(['one Very, very high'])
      expect(await inAddress(`[$in][]=Very, very high&${parameter}=low`)).toEqual(['one Low', 'one Very, very high'])
      expect(await inAddress('[$in][0]=Very, very high&')).toEqual(['one Very, very high'])
      expect(await inAddress('[$eq]=Very, very high')).toEqual(['one Very, very high'])
      const split = await refusedInAddress(workspace.api, type, `${parameter.slice(0, -2)}=Very, very high`)
      expect(Object.keys(split)).toEqual([`filter.custom_fields.${code}.$in.0`, `filter.custom_fields.${code}.$in.1`])
    })

    it('an unknown label or ID returns 422 and lists the labels', async () => {
      const other = idOf(type, codeOf('checkbox-list'), 'Low')
      const test = { $eq: 'Lowest', $in: ['Low', other], $not_in: ['', 'High'] }
      const errors = await refused(workspace.api, type, { custom_fields: { [code]: test } })
      const path = `filter.custom_fields.${code}`
      expect(Object.keys(errors)).toEqual([`${path}.$eq`, `${path}.$in.1`, `${path}.$not_in.0`])
      for (const [message] of Object.values(errors)) expect(message).toContain(labels.join(', '))
    })
  })
})

describe.each(types)('filters on lists of choices of %s', (type) => {
  describe.each(multiples)('of type %s', (fieldType) => {
    const code = codeOf(fieldType)
    const ask = (test: object) => found(workspace.api, type, { custom_fields: { [code]: test } })
    const inAddress = (rest: string) => foundInAddress(workspace.api, type, `filter[custom_fields][${code}]${rest}`)

    it('$has_any takes labels and IDs in any case', async () => {
      expect(await ask({ $has_any: ['LOW'] })).toEqual(['many High + Low', 'many Low'])
      expect(await ask({ $has_any: [idOf(type, code, 'High').toUpperCase()] })).toEqual(['many High + Low'])
      expect(await ask({ $has_any: ['high', 'größe'] })).toEqual(['many High + Low', 'many Very, very high + Größe'])
    })

    it('$has_none also matches records where the field is empty', async () => {
      const rest = [...ones, ...empties]
      expect(await ask({ $has_none: ['Low'] })).toEqual([...rest, 'many Very, very high + Größe'].toSorted())
      expect(await ask({ $has_none: labels })).toEqual(rest.toSorted())
      expect(await ask({ $is_empty: true })).toEqual(rest.toSorted())
      expect(await ask({ $is_empty: false })).toEqual(manies)
    })

    it('in a query string lists are split on commas, and [] keeps a label with a comma whole', async () => {
      expect(await inAddress('[$has_any]=high,größe')).toEqual(['many High + Low', 'many Very, very high + Größe'])
      expect(await inAddress('[$has_any][]=very, very high')).toEqual(['many Very, very high + Größe'])
      const parameter = `filter[custom_fields][${code}][$has_any]`
      const errors = await refusedInAddress(workspace.api, type, `${parameter}=very, very high`)
      expect(Object.keys(errors)).toHaveLength(2)
    })

    it('an unknown label or ID returns 422 at its index', async () => {
      const errors = await refused(workspace.api, type, { custom_fields: { [code]: { $has_none: ['Low', 'Lowest'] } } })
      expect(Object.keys(errors)).toEqual([`filter.custom_fields.${code}.$has_none.1`])
      expect(Object.values(errors)[0]?.[0]).toContain(labels.join(', '))
    })
  })
})

describe.each(types)('filters on checkbox and toggle of %s', (type) => {
  it.each(['checkbox', 'toggle'])('%s takes $eq true or false; a field that is not set is neither', async (kind) => {
    const code = codeOf(kind)
    const path = `filter[custom_fields][${code}]`
    const ask = (test: object) => found(workspace.api, type, { custom_fields: { [code]: test } })
    expect(await ask({ $eq: true })).toEqual(['yes'])
    expect(await ask({ $eq: false })).toEqual(['no'])
    expect(await ask({ $is_empty: false })).toEqual(['no', 'yes'])
    expect(await foundInAddress(workspace.api, type, `${path}[$eq]=1`)).toEqual(['yes'])
    expect(await foundInAddress(workspace.api, type, `${path}[$eq]=0`)).toEqual(['no'])
    for (const operand of ['yes', '', 'TRUE', '2', 'null']) {
      await refusedInAddress(workspace.api, type, `${path}[$eq]=${operand}`)
    }
    for (const operand of ['true', 1, 0, null, [true]]) {
      const errors = await refusedInBody(workspace.api, type, { custom_fields: { [code]: { $eq: operand } } })
      expect(Object.keys(errors)).toEqual([`filter.custom_fields.${code}.$eq`])
    }
  })
})

describe('options that change', () => {
  it('are found by their new label and their old ID; what was deleted is unknown and the records are empty', async () => {
    const { api, field, updateField } = await workspaceWithOwn()
    const made = await field('companies', { name: 'Size', type: 'select', options: ['S', 'M', 'L'] })
    for (const size of ['S', 'M', 'L']) await api.post('/companies', { name: size, custom_fields: { size } })
    const [small, , large] = made.options
    await updateField('companies', 'size', { options: [{ id: small?.id, label: 'Tiny' }, { label: 'M' }] })
    const ask = (test: object) => found(api, 'companies', { custom_fields: { size: test } })
    expect(await ask({ $eq: 'tiny' })).toEqual(['S'])
    expect(await ask({ $eq: small?.id })).toEqual(['S'])
    expect(await ask({ $is_empty: true })).toEqual(['L'])
    expect(await ask({ $not_in: ['Tiny'] })).toEqual(['L', 'M'])
    for (const gone of ['S', 'L', large?.id]) {
      const errors = await refused(api, 'companies', { custom_fields: { size: { $eq: gone } } })
      expect(errors['filter.custom_fields.size.$eq']?.[0]).toContain('Tiny, M')
    }
  })

  it('of another workspace are unknown', async () => {
    const [here, there] = [await workspaceWithOwn(), await workspaceWithOwn()]
    const [{ body }] = [await there.api.get('/custom-fields?entity_type=opportunities')]
    const stage = body.data.find((one: { attributes: { code: string } }) => one.attributes.code === 'stage')
    const id = stage.attributes.options[0].id
    const filter = { custom_fields: { stage: { $in: [id] } } }
    expect(await found(there.api, 'opportunities', filter)).toEqual([])
    expect(Object.keys(await refused(here.api, 'opportunities', filter))).toEqual(['filter.custom_fields.stage.$in.0'])
  })
})
