import { describe, expect, it } from 'vitest'
import { newWorkspace } from '../../workspace.ts'
import { writtenField } from '../../written-field.ts'

const repeatable = ['email', 'phone', 'link', 'domain'] as const
type Repeatable = (typeof repeatable)[number]

function values(type: Repeatable | 'tags-input', count: number): string[] {
  const make = {
    'tags-input': (n: number) => `tag ${n}`,
    email: (n: number) => `a${n}@example.com`,
    phone: (n: number) => `+1415555${String(1000 + n)}`,
    link: (n: number) => `https://example.com/${n}`,
    domain: (n: number) => `d${n}.example.com`,
  }[type]
  return Array.from({ length: count }, (_, index) => make(index))
}

function tooMany(most: number) {
  return { 'custom_fields.it': [`The It must not have more than ${most} value${most === 1 ? '' : 's'}.`] }
}

describe('4. `multiple` says whether more than one value is allowed', () => {
  it.each(repeatable)('%s takes one value unless it is multiple, and is a list on the wire', async (type) => {
    const field = await writtenField(type)
    const [first, second] = values(type, 2)
    expect(await field.shown(first)).toEqual([first])
    expect(await field.shown([first])).toEqual([first])
    expect(await field.shown([first, first])).toEqual([first])
    expect(await field.refused([first, second])).toEqual(tooMany(1))
    await field.workspace.updateField('companies', 'it', { multiple: true })
    expect(await field.shown([first, second])).toEqual([first, second])
  })

  it('only email, phone, link and domain have the choice', async () => {
    const { field } = await newWorkspace()
    for (const type of ['text', 'number', 'date', 'select', 'toggle', 'rich-text']) {
      const input = { name: 'It', type, multiple: true }
      await expect(field('companies', input), type).rejects.toThrow(/email, phone, link, domain/)
    }
  })
})

describe('4. `max_values` bounds lists', () => {
  it.each(['tags-input', ...repeatable] as const)('%s: 5 by default', async (type) => {
    const field = await writtenField(type, type === 'tags-input' ? {} : { multiple: true })
    expect(await field.shown(values(type, 5))).toEqual(values(type, 5))
    expect(await field.refused(values(type, 6))).toEqual(tooMany(5))
  })

  it.each(['tags-input', ...repeatable] as const)('%s: up to 100', async (type) => {
    const field = await writtenField(type, { ...(type === 'tags-input' ? {} : { multiple: true }), max_values: 100 })
    expect(await field.shown(values(type, 100))).toEqual(values(type, 100))
    expect(await field.refused(values(type, 101))).toEqual(tooMany(100))
  })

  it('what is sent twice counts once', async () => {
    const field = await writtenField('email', { multiple: true, max_values: 2 })
    expect(await field.shown(['a@x.example', 'A@X.example', 'b@x.example', 'a@x.EXAMPLE'])).toEqual([
      'a@x.example',
      'b@x.example',
    ])
    expect(await field.refused(values('email', 3))).toEqual(tooMany(2))
  })

  it('100 is the hard limit', async () => {
    const { field, updateField } = await newWorkspace()
    const input = { name: 'It', type: 'tags-input', max_values: 101 }
    await expect(field('companies', input)).rejects.toThrow(/max_values.*1 to 100/)
    await expect(updateField('companies', 'domains', { max_values: 101 })).rejects.toThrow(/max_values.*1 to 100/)
  })
})
