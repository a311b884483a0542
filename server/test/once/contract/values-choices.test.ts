import { describe, expect, it } from 'vitest'
import { newWorkspace } from '../../workspace.ts'
import { type WrittenField, writtenField } from '../../written-field.ts'

const labels = ['Gold', 'Closed, Won', 'Ärger', 'ΣΊΣΥΦΟΣ', '日本 😀']
const listed = labels.join(', ')

function choice({ options }: WrittenField, place: number) {
  const { id, label } = options[place] ?? { id: '', label: '' }
  return { id, label }
}

describe('4. Custom field values: checkbox and toggle are booleans', () => {
  it.each(['checkbox', 'toggle'] as const)('%s is true, false or unset', async (type) => {
    const field = await writtenField(type)
    expect(await field.shown(true)).toBe(true)
    expect(await field.shown(false)).toBe(false)
    expect(await field.shown(null)).toBeNull()
  })

  it.each(['checkbox', 'toggle'] as const)('%s is nothing else', async (type) => {
    const field = await writtenField(type)
    for (const value of [0, 1, 'true', 'false', '1', 'yes', 'on', [], [true], {}]) {
      expect(await field.refused(value), JSON.stringify(value)).toEqual({
        'custom_fields.it': ['The It must be true or false.'],
      })
    }
  })
})

describe.each(['radio', 'toggle-buttons', 'select'] as const)('4. Custom field values: %s', (type) => {
  it('is read as {"id","label"} and written by option id, or label trimmed and in any case', async () => {
    const field = await writtenField(type, { options: labels })
    for (const [place, label] of labels.entries()) {
      const one = choice(field, place)
      for (const sent of [one.id, one.id.toUpperCase(), ` ${one.id} `, label, `  ${label}\n`, label.toLowerCase()]) {
        expect(await field.shown(sent), sent).toEqual(one)
      }
      expect(await field.shown(label.toUpperCase())).toEqual(one)
    }
    expect(Object.keys((await field.shown('gold')) as object)).toEqual(['id', 'label'])
  })

  it('what is read can be written', async () => {
    const field = await writtenField(type, { options: labels })
    const one = choice(field, 2)
    expect(await field.shown(one)).toEqual(one)
    expect(await field.shown({ id: one.id })).toEqual(one)
    expect(await field.shown({ ...one, label: 'as it was called before' })).toEqual(one)
    for (const empty of [null, '', '  ']) expect(await field.shown(empty)).toBeNull()
  })

  it('an unknown option is refused with the labels', async () => {
    const field = await writtenField(type, { options: labels })
    const elsewhere = await writtenField(type, { options: labels })
    const foreign = choice(elsewhere, 0).id
    const unknown = ['Silver', 'Gol', 'Gold, Ärger', foreign, { id: foreign, label: 'Gold' }, { label: 'Gold' }]
    for (const value of [...unknown, 0, true, [], ['Gold'], {}]) {
      const errors = await field.refused(value)
      expect(Object.keys(errors), JSON.stringify(value)).toEqual(['custom_fields.it'])
      expect(errors['custom_fields.it']).toEqual([expect.stringContaining(`The It must be one of: ${listed}.`)])
    }
    expect(await field.refused('Silver')).toEqual({ 'custom_fields.it': [expect.stringContaining('"Silver"')] })
  })
})

describe.each(['checkbox-list', 'multi-select'] as const)('4. Custom field values: %s', (type) => {
  it('is read as a list of {"id","label"} and written as a list of ids or labels', async () => {
    const field = await writtenField(type, { options: labels })
    const all = labels.map((_, place) => choice(field, place))
    expect(await field.shown(labels)).toEqual(all)
    expect(await field.shown(all)).toEqual(all)
    expect(await field.shown(all.map((one) => one.id.toUpperCase()))).toEqual(all)
    expect(await field.shown([` ${labels[4]} `, all[1]?.id, 'GOLD'])).toEqual([all[4], all[1], all[0]])
    for (const empty of [null, [], '']) expect(await field.shown(empty)).toEqual([])
  })

  it('an option that is named twice is held once', async () => {
    const field = await writtenField(type, { options: labels })
    const gold = choice(field, 0)
    expect(await field.shown(['Gold', 'gold ', gold.id, gold])).toEqual([gold])
  })

  it('an unknown option is refused at its index, with the labels', async () => {
    const field = await writtenField(type, { options: labels })
    const errors = await field.refused(['Gold', 'Silver', 7, 'gold', null, 'Bronze'])
    expect(Object.keys(errors)).toEqual(['1', '2', '4', '5'].map((index) => `custom_fields.it.${index}`))
    for (const messages of Object.values(errors)) expect(messages).toEqual([expect.stringContaining(listed)])
    expect(errors['custom_fields.it.5']).toEqual([expect.stringContaining('"Bronze"')])
  })

  it('what is no list is refused', async () => {
    const field = await writtenField(type, { options: labels })
    for (const value of ['Gold', { id: choice(field, 0).id, label: 'Gold' }, 1, true, {}]) {
      expect(await field.refused(value), JSON.stringify(value)).toEqual({
        'custom_fields.it': [expect.stringMatching(/must be a list of labels or IDs/)],
      })
    }
  })
})

describe('4. Custom field values: the options of choice fields', () => {
  it('a record can hold all 200 options a field may have', async () => {
    const all = Array.from({ length: 200 }, (_, place) => `Option ${place}`)
    const field = await writtenField('multi-select', { options: all })
    expect(await field.shown(all)).toEqual(field.options.map(({ id, label }) => ({ id, label })))
  })

  it('a field without options takes none', async () => {
    const field = await writtenField('select')
    expect(await field.refused('Gold')).toEqual({ 'custom_fields.it': [expect.stringContaining('no options')] })
  })

  it('the options of another field of that label are no options of this one', async () => {
    const { api, field } = await newWorkspace()
    const one = await field('companies', { name: 'One', type: 'select', options: ['A', 'B'] })
    const two = await field('companies', { name: 'Two', type: 'select', options: ['A', 'B'] })
    const swapped = { one: two.options[0]?.id, two: one.options[0]?.id }
    const answer = await api.post('/companies', { name: 'Acme', custom_fields: swapped })
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual(['custom_fields.one', 'custom_fields.two'])
  })
})
