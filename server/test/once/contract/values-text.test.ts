import { describe, expect, it } from 'vitest'
import { newWorkspace } from '../../workspace.ts'
import { writtenField } from '../../written-field.ts'

const texts = [
  ['spaces around it', '  two  words  '],
  ['line ends and tabs', 'one\ntwo\r\nthree\tfour'],
  ['quotes, percent signs, underscores and backslashes', `"it's" 100%_\\_%00 \\u0041 {"a":1} ';--`],
  ['astral characters', '𝒳 𐍈 𠮷 𝟘 \u{10ffff}'],
  ['combining characters', 'e\u0301 A\u030a\u0323 ñ n\u0303'],
  ['right-to-left text', 'שלום עולם مرحبا بالعالم \u202eabc\u202c'],
  ['emoji', '👩‍👩‍👧‍👦 🏳️‍🌈 🇪🇺 👍🏽 ☺️'],
  ['scripts of all kinds', 'Ωμέγα ς Straße İıI ﬁ 日本語 한국어 ไทย हिन्दी'],
  ['odd white space and controls', 'a\u00a0b\u2028c\u2029d\ufeffe\u200bf\u0007g\u007fh'],
  ['noncharacters and private use', '\ufffd\uffff\ue000\u{1fffe}'],
] as const

describe('4. Custom field values: text, textarea and rich-text are read as strings', () => {
  it.each(['text', 'textarea', 'rich-text'] as const)('%s comes back unchanged', async (type) => {
    const field = await writtenField(type)
    for (const [what, text] of texts) expect(await field.shown(text), what).toBe(text)
  })

  it.each(['text', 'textarea', 'rich-text'] as const)('%s that says nothing is unset', async (type) => {
    const field = await writtenField(type)
    for (const empty of [null, '', '   ', '\n\t']) expect(await field.shown(empty)).toBeNull()
  })

  it.each(['text', 'textarea', 'rich-text'] as const)('%s is a string and nothing else', async (type) => {
    const field = await writtenField(type)
    for (const value of [0, 12.5, true, false, [], ['a'], {}, { text: 'a' }]) {
      expect(await field.refused(value), JSON.stringify(value)).toEqual({
        'custom_fields.it': ['The It must be a string.'],
      })
    }
  })

  it.each(['text', 'textarea', 'rich-text'] as const)('%s holds no NUL and no half characters', async (type) => {
    const field = await writtenField(type)
    expect(await field.refused('a\0b')).toEqual({ 'custom_fields.it': [expect.stringContaining('NUL')] })
    for (const half of ['\ud83d', 'a\udc00b', '\udc00\ud83d']) {
      expect(await field.refused(half)).toEqual({ 'custom_fields.it': [expect.stringContaining('Unicode')] })
    }
  })

  it('a character may be written as a JSON escape', async () => {
    const { api } = await newWorkspace()
    const body = String.raw`{"name":"\u0041cme","custom_fields":{"job_title":"\ud83d\ude00 \u00e9 \/ \u2028"}}`
    const answer = await api.send('POST', '/people', body)
    expect(answer.body.data.attributes).toMatchObject({
      name: 'Acme',
      custom_fields: { job_title: '😀 é / \u2028' },
    })
  })

  it('rich-text is Markdown and given back as it was written', async () => {
    const field = await writtenField('rich-text')
    const markdown = '# Title\n\n* [link](javascript:alert(1))\n\n<script>alert("x")</script>\n\n```\n  code\n```\n'
    expect(await field.shown(markdown)).toBe(markdown)
  })
})

describe('4. Custom field values: the longest text', () => {
  it.each([
    ['text', {}, 255],
    ['text', { settings: { max_length: 5 } }, 5],
    ['text', { settings: { max_length: 10_000 } }, 10_000],
    ['textarea', {}, 65_535],
    ['rich-text', {}, 262_144],
  ] as const)('%s %j takes %i characters and not one more', async (type, rest, max) => {
    const field = await writtenField(type, rest)
    const longest = `${'x'.repeat(max - 1)}y`
    expect(await field.shown(longest)).toBe(longest)
    expect(await field.refused(`${longest}z`)).toEqual({
      'custom_fields.it': [`The It must not be longer than ${max.toLocaleString('en-US')} characters.`],
    })
  })

  it.each([
    ['text', 255],
    ['textarea', 65_535],
  ] as const)('%s counts code points, not bytes or UTF-16 units', async (type, max) => {
    const field = await writtenField(type)
    for (const character of ['é', '本', '😀']) {
      const longest = character.repeat(max)
      expect(await field.shown(longest)).toBe(longest)
      expect(await field.refused(longest + character)).toEqual({
        'custom_fields.it': [`The It must not be longer than ${max.toLocaleString('en-US')} characters.`],
      })
    }
  })

  it('rich-text counts code points too', async () => {
    const field = await writtenField('rich-text')
    const longest = '本'.repeat(262_144)
    expect(await field.shown(longest)).toBe(longest)
    expect(await field.refused(`${longest}本`)).toEqual({
      'custom_fields.it': ['The It must not be longer than 262,144 characters.'],
    })
  })

  it('a field may set max_length up to 10,000', async () => {
    const { field, updateField } = await newWorkspace()
    for (const max_length of [0, 10_001, 2.5, '10']) {
      const input = { name: 'It', type: 'text', settings: { max_length } }
      await expect(field('people', input), String(max_length)).rejects.toThrow(/max_length.*10000/)
    }
    await updateField('people', 'job_title', { settings: { max_length: 10_000 } })
  })
})
