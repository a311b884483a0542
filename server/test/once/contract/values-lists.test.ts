import { describe, expect, it } from 'vitest'
import { type WrittenField, writtenField } from '../../written-field.ts'

const listTypes = ['tags-input', 'email', 'phone', 'link', 'domain'] as const
type ListType = (typeof listTypes)[number]

const several = (type: ListType) => (type === 'tags-input' ? {} : { multiple: true })

/** Each value is sent alone as a string, in a list, and as it is read. */
async function expectShown(field: WrittenField, cases: readonly (readonly [string, string])[]): Promise<void> {
  for (const [sent, shown] of cases) {
    expect(await field.shown(sent), sent).toEqual([shown])
    expect(await field.shown([sent]), sent).toEqual([shown])
    expect(await field.shown([shown]), shown).toEqual([shown])
  }
}

/** Each value is sent between two good ones, and refused at its index with what is accepted. */
async function expectRefused(field: WrittenField, good: string, bad: readonly string[], names: RegExp): Promise<void> {
  for (const value of bad) {
    const expected = { 'custom_fields.it.1': [expect.stringMatching(names)] }
    expect(await field.refused([good, value]), value).toEqual(expected)
  }
}

describe.each(listTypes)('4. Custom field values: %s is read as a list of strings', (type) => {
  const good = {
    'tags-input': 'a',
    email: 'a@b.example',
    phone: '+14155550100',
    link: 'b.example',
    domain: 'b.example',
  }

  it('unset is [], whether it is sent as null, "", or []', async () => {
    const field = await writtenField(type, several(type))
    for (const empty of [null, '', '  ', []]) expect(await field.shown(empty)).toEqual([])
  })

  it('a bad item is refused at its index, what is no list of strings at the field', async () => {
    const field = await writtenField(type, several(type))
    const errors = await field.refused([7, good[type], null, '', ' ', [good[type]], { value: good[type] }, true])
    expect(Object.keys(errors)).toEqual([0, 2, 3, 4, 5, 6, 7].map((index) => `custom_fields.it.${index}`))
    for (const value of [7, true, {}, { 0: good[type] }]) {
      expect(await field.refused(value), JSON.stringify(value)).toEqual({
        'custom_fields.it': ['The It must be a list of strings, or one string.'],
      })
    }
  })

  it('NUL and half characters are refused', async () => {
    const field = await writtenField(type, several(type))
    for (const bad of ['a\0', '\ud83d']) {
      const errors = await field.refused([good[type], bad])
      expect(Object.keys(errors)).toEqual(['custom_fields.it.1'])
    }
  })
})

describe('4. Custom field values: tags-input', () => {
  it('each is kept as typed', async () => {
    const field = await writtenField('tags-input')
    const tags = ['  VIP ', 'a,b', 'שלום', '👩‍👩‍👧‍👦', 'e\u0301']
    expect(await field.shown(tags)).toEqual(tags)
    expect(await field.shown('a,b')).toEqual(['a,b'])
  })

  it('each is 1 to 255 characters long', async () => {
    const field = await writtenField('tags-input')
    for (const character of ['x', '本', '😀']) {
      const longest = character.repeat(255)
      expect(await field.shown([longest])).toEqual([longest])
      expect(await field.refused(['x', longest + character])).toEqual({
        'custom_fields.it.1': [expect.stringContaining('255')],
      })
    }
  })

  it('the same tag is held once, another spelling is another tag', async () => {
    const field = await writtenField('tags-input')
    expect(await field.shown(['VIP', 'vip', 'VIP', 'vip'])).toEqual(['VIP', 'vip'])
  })
})

describe('4. Custom field values: email', () => {
  it('each is kept as typed', async () => {
    const field = await writtenField('email', { multiple: true })
    const addresses = ['Ada.Lovelace+CRM@Example.COM', "o'brien@sub.example.co.uk", 'jörg@bücher.example']
    await expectShown(
      field,
      addresses.map((address) => [address, address]),
    )
    expect(await field.shown(addresses)).toEqual(addresses)
    expect(await field.shown(['Ada@Example.com', 'ada@example.COM'])).toEqual(['Ada@Example.com'])
  })

  it('each is valid', async () => {
    const field = await writtenField('email', { multiple: true })
    const bad = ['ada', '@example.com', 'ada@', 'ada@example', 'a@b@example.com', 'a b@example.com', 'ada@example..com']
    const worse = ['.ada@example.com', 'Ada <ada@example.com>', 'mailto:ada@example.com', 'a@x.com, b@x.com']
    await expectRefused(field, 'ada@example.com', [...bad, ...worse], /valid email address.*@/)
  })

  it('each is at most 254 characters long', async () => {
    const field = await writtenField('email', { multiple: true })
    const address = (length: number) =>
      `${'l'.repeat(64)}@${'h'.repeat(63)}.${'i'.repeat(63)}.${'j'.repeat(length - 197)}.com`
    expect(address(254)).toHaveLength(254)
    expect(await field.shown(address(254))).toEqual([address(254)])
    await expectRefused(field, 'a@b.example', [address(255)], /254/)
  })
})

describe('4. Custom field values: phone', () => {
  it('is read in E.164, ;ext= kept, and written in any format with a country code', async () => {
    const field = await writtenField('phone', { multiple: true })
    await expectShown(field, [
      ['+14155550100', '+14155550100'],
      ['+1 (415) 555-0100', '+14155550100'],
      ['+1.415.555.0100', '+14155550100'],
      ['001 415 555 0100', '+14155550100'],
      ['tel:+1-415-555-0100', '+14155550100'],
      ['+44 (0)20 7946 0958', '+442079460958'],
      ['+14155550100;ext=123', '+14155550100;ext=123'],
      ['+1 415 555 0100 ext. 0123', '+14155550100;ext=0123'],
    ])
    expect(await field.shown(['+1 415 555 0100', '+1-415-555-0100', '+1 415 555 0100 x7'])).toEqual([
      '+14155550100',
      '+14155550100;ext=7',
    ])
  })

  it('without a country code it is refused at its index', async () => {
    const field = await writtenField('phone', { multiple: true })
    const bad = ['415 555 0100', '(415) 555-0100', '14155550100', 'call me', '+', '+1 415', '+999 1234567']
    await expectRefused(field, '+14155550100', bad, /country code/)
    expect(Object.keys(await field.refused('415 555 0100'))).toEqual(['custom_fields.it.0'])
  })
})

describe('4. Custom field values: link', () => {
  it('scheme and host are lower-cased, a trailing slash is dropped, the scheme may be left out', async () => {
    const field = await writtenField('link', { multiple: true })
    await expectShown(field, [
      ['HTTPS://Example.COM/About/Us/', 'https://example.com/About/Us'],
      ['http://Example.com/', 'http://example.com'],
      ['Example.com', 'example.com'],
      ['www.Example.com/A/', 'www.example.com/A'],
      ['https://example.com:8443/x?Q=A&b=%20#Top', 'https://example.com:8443/x?Q=A&b=%20#Top'],
      ['  https://example.com/ä/😀 ', 'https://example.com/ä/😀'],
    ])
    expect(await field.shown(['https://example.com/A', 'http://EXAMPLE.com/a/', 'example.com/A'])).toEqual([
      'https://example.com/A',
    ])
  })

  it('http and https only', async () => {
    const field = await writtenField('link', { multiple: true })
    const schemes = [
      'ftp://example.com',
      'javascript:alert(1)',
      'mailto:a@example.com',
      'data:text/html,x',
      'file:///x',
    ]
    const others = ['example', 'not a link', 'https://', '//example.com', '/about', 'https://exa mple.com']
    await expectRefused(field, 'example.com', [...schemes, ...others], /http or https/)
  })

  it('each is at most 2,048 characters long', async () => {
    const field = await writtenField('link', { multiple: true })
    for (const character of ['x', '😀']) {
      const longest = `https://example.com/${character.repeat(2028)}`
      expect(await field.shown(longest)).toEqual([longest])
      await expectRefused(field, 'example.com', [longest + character], /2048/)
    }
  })
})

describe('4. Custom field values: domain', () => {
  it('is read as a bare host, lower-cased, no www., punycode for international names', async () => {
    const field = await writtenField('domain', { multiple: true })
    await expectShown(field, [
      ['Example.COM', 'example.com'],
      ['www.example.com', 'example.com'],
      ['https://WWW.Example.com/about?x=1#y', 'example.com'],
      ['http://sub.example.com:8080', 'sub.example.com'],
      ['example.com/path', 'example.com'],
      ['example.com.', 'example.com'],
      ['Bücher.example', 'xn--bcher-kva.example'],
      ['https://例え.jp/', 'xn--r8jz45g.jp'],
    ])
    expect(await field.shown(['example.com', 'https://www.example.com', 'EXAMPLE.com'])).toEqual(['example.com'])
  })

  it('anything else is refused', async () => {
    const field = await writtenField('domain', { multiple: true })
    const bad = ['example', 'localhost', 'ada@example.com', '127.0.0.1', 'exa mple.com', 'ftp://example.com', 'a..com']
    await expectRefused(field, 'example.com', bad, /domain such as example\.com/)
  })
})
