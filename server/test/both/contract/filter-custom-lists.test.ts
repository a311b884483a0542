import { beforeAll, describe, expect, it } from 'vitest'
import { found, foundInAddress, recordOf, refused, refusedInAddress, refusedInBody } from '../../filtering.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'

const types = testedResources
const kinds = ['email', 'phone', 'link', 'domain', 'tags-input'] as const
const codeOf = (kind: string) => `my_${kind.replace('-', '_')}`

const values: Record<(typeof kinds)[number], Record<string, string[]>> = {
  email: {
    'email ada': ['Ada@Acme.com'],
    'email two': ['bob@acme.com', 'Bob@Mail.Example.org'],
    'email idn': ['jörg@münchen.de'],
    'email www': ['w@www.acme.com'],
  },
  phone: {
    'phone us': ['+14155550100'],
    'phone de': ['+49 30 123456', '+14155550101'],
    'phone ext': ['+1 415 555 0100 ext. 7'],
  },
  link: {
    'link about': ['https://www.Acme.com/About?x=Y'],
    'link bare': ['acme.com'],
    'link two': ['http://linkedin.com/in/Ada/', 'https://acme.com:8443/x'],
  },
  domain: {
    'domain acme': ['acme.com'],
    'domain idn': ['https://www.münchen.de/rathaus'],
    'domain two': ['shop.acme.com', 'WWW.Example.ORG'],
  },
  'tags-input': {
    'tags case': ['VIP', 'vip'],
    'tags comma': ['red, green', ' padded '],
    'tags lower': ['vip'],
  },
}

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await workspaceWithOwn()
  for (const type of types) {
    for (const kind of kinds) {
      const multiple = kind === 'tags-input' ? {} : { multiple: true }
      await workspace.field(type, { name: `My ${kind}`, type: kind, code: codeOf(kind), ...multiple })
    }
    const scope = await workspace.scope()
    for (const kind of kinds) {
      for (const [label, list] of Object.entries(values[kind])) {
        await recordOf(scope, type, { label, custom_fields: { [codeOf(kind)]: list } })
      }
    }
    await recordOf(scope, type, { label: 'unset', custom_fields: { my_email: [], my_link: null } })
  }
})

const everyone = [...kinds.flatMap((kind) => Object.keys(values[kind])), 'unset']
const without = (...labels: string[]) => everyone.filter((label) => !labels.includes(label)).toSorted()

type Case = [operands: string[], expected: string[]]
const cases: Record<(typeof kinds)[number], Case[]> = {
  email: [
    [['ada@acme.com'], ['email ada']],
    [['ADA@ACME.COM'], ['email ada']],
    [['  bob@MAIL.example.org '], ['email two']],
    [
      ['bob@acme.com', 'JÖRG@MÜNCHEN.DE', 'nobody@acme.com'],
      ['email idn', 'email two'],
    ],
    [['acme.com'], []],
  ],
  phone: [
    [['+14155550100'], ['phone us']],
    [['+1 (415) 555-0100'], ['phone us']],
    [['001 415.555.0100'], ['phone us']],
    [['tel:+1-415-555-0100'], ['phone us']],
    [['+1 415 555 0100 ext 7'], ['phone ext']],
    [['+14155550100;ext=7'], ['phone ext']],
    [
      ['+4930123456', '+1 415 555 0100'],
      ['phone de', 'phone us'],
    ],
    [['+1 415 555 0199'], []],
  ],
  link: [
    [['https://www.acme.com/About?x=Y'], ['link about']],
    [['http://WWW.ACME.COM/about?X=y'], ['link about']],
    [['www.acme.com/ABOUT?x=y'], ['link about']],
    [['acme.com/about?x=y'], []],
    [['HTTPS://ACME.COM/'], ['link bare']],
    [['linkedin.com/in/ada'], ['link two']],
    [
      ['acme.com:8443/x', 'ACME.com'],
      ['link bare', 'link two'],
    ],
  ],
  domain: [
    [['acme.com'], ['domain acme']],
    [['ACME.com.'], ['domain acme']],
    [['www.acme.com'], ['domain acme']],
    [['https://www.acme.com/pricing?x=1#top'], ['domain acme']],
    [['http://example.org:8080/'], ['domain two']],
    [['xn--mnchen-3ya.de'], ['domain idn']],
    [
      ['MÜNCHEN.de', 'shop.ACME.com'],
      ['domain idn', 'domain two'],
    ],
    [['other.acme.com'], []],
  ],
  'tags-input': [
    [['VIP'], ['tags case']],
    [['vip'], ['tags case', 'tags lower']],
    [['Vip'], []],
    [['vi'], []],
    [['red, green'], ['tags comma']],
    [['red', 'green'], []],
    [[' padded '], ['tags comma']],
    [['padded'], []],
  ],
}

describe.each(types)('filters on lists of %s', (type) => {
  const ask = (kind: string, test: object) => found(workspace.api, type, { custom_fields: { [codeOf(kind)]: test } })

  it.each(kinds)('%s: $has_any matches by the rules of the type, $has_none is its complement', async (kind) => {
    for (const [operands, expected] of cases[kind]) {
      expect(await ask(kind, { $has_any: operands }), operands.join()).toEqual(expected)
      expect(await ask(kind, { $has_none: operands }), operands.join()).toEqual(without(...expected))
    }
  })

  it.each(kinds)('%s: $is_empty means that the list holds nothing', async (kind) => {
    const holders = Object.keys(values[kind])
    expect(await ask(kind, { $is_empty: false })).toEqual(holders.toSorted())
    expect(await ask(kind, { $is_empty: true })).toEqual(without(...holders))
  })

  it.each([
    ['email', ['Acme.COM'], ['email ada', 'email two']],
    ['email', ['mail.example.org'], ['email two']],
    ['email', ['example.org'], []],
    ['email', ['münchen.de'], ['email idn']],
    ['email', ['www.acme.com'], ['email www']],
    ['link', ['acme.com'], ['link about', 'link bare', 'link two']],
    ['link', ['WWW.acme.com', 'x.com'], ['link about', 'link bare', 'link two']],
    ['link', ['linkedin.com'], ['link two']],
  ])('%s takes a domain sub-field that matches the host of each value: %j', async (kind, hosts, expected) => {
    expect(await ask(kind, { domain: { $in: hosts } })).toEqual(expected)
    expect(await ask(kind, { domain: { $not_in: hosts } })).toEqual(without(...expected))
  })
})

describe('operands of lists', () => {
  const api = () => workspace.api
  const path = (kind: string, rest: string) => `filter.custom_fields.${codeOf(kind)}.${rest}`

  it('a phone operand without a country code is 422 at its index', async () => {
    for (const number of ['415 555 0100', '(030) 123456', '+', '+1', '+999 123', '', 'phone']) {
      const test = { $has_any: ['+14155550100', number] }
      const errors = await refused(api(), 'tasks', { custom_fields: { my_phone: test } })
      expect(errors).toEqual({ [path('phone', '$has_any.1')]: [expect.stringContaining('country code')] })
    }
  })

  it('a plus sign that the query string does not encode is a space, and the country code is missing', async () => {
    const errors = await refusedInAddress(api(), 'tasks', 'filter[custom_fields][my_phone][$has_any]=+14155550100')
    expect(Object.keys(errors)).toEqual([path('phone', '$has_any.0')])
    const query = 'filter[custom_fields][my_phone][$has_any]=%2B1 415 555 0100'
    expect(await foundInAddress(api(), 'tasks', query)).toEqual(['phone us'])
  })

  it.each([
    ['link', ['ftp://acme.com', 'not a link', '']],
    ['domain', ['acme', 'ftp://acme.com', 'a b.com', '10.0.0.1', '']],
  ])('what could never be a %s is 422 at its index', async (kind, operands) => {
    const errors = await refused(api(), 'tasks', { custom_fields: { [codeOf(kind)]: { $has_none: operands } } })
    expect(Object.keys(errors)).toEqual(operands.map((_, index) => path(kind, `$has_none.${index}`)))
  })

  it.each(['email', 'link'])('the domain of %s takes bare hosts only', async (kind) => {
    const hosts = ['https://acme.com', 'acme.com/x', 'a@acme.com', 'acme', '@acme.com', '']
    const errors = await refused(api(), 'tasks', { custom_fields: { [codeOf(kind)]: { domain: { $in: hosts } } } })
    expect(Object.keys(errors)).toEqual(hosts.map((_, index) => path(kind, `domain.$in.${index}`)))
  })

  it.each(['phone', 'domain', 'tags-input'])('%s has no domain sub-field', async (kind) => {
    const errors = await refused(api(), 'tasks', { custom_fields: { [codeOf(kind)]: { domain: { $in: ['a.com'] } } } })
    expect(errors).toEqual({
      [path(kind, 'domain')]: [expect.stringContaining('Accepted: $has_any, $has_none, $is_empty.')],
    })
  })

  it('the domain sub-field takes $in and $not_in only', async () => {
    const errors = await refused(api(), 'tasks', { custom_fields: { my_email: { domain: { $has_any: ['a.com'] } } } })
    expect(errors).toEqual({ [path('email', 'domain.$has_any')]: [expect.stringContaining('Accepted: $in, $not_in.')] })
  })

  it('text-valued lists split only by [] in a query string', async () => {
    const has = (kind: string, rest: string) => `filter[custom_fields][${codeOf(kind)}][$has_any]${rest}`
    expect(await foundInAddress(api(), 'tasks', has('tags-input', '=red, green'))).toEqual(['tags comma'])
    expect(await foundInAddress(api(), 'tasks', has('tags-input', '=vip,VIP'))).toEqual([])
    const two = `${has('tags-input', '[]=VIP')}&${has('tags-input', '[]=red, green')}`
    expect(await foundInAddress(api(), 'tasks', two)).toEqual(['tags case', 'tags comma'])
    expect(await foundInAddress(api(), 'tasks', has('email', '=ada@acme.com,bob@acme.com'))).toEqual([])
    for (const [kind, list] of [
      ['phone', '%2B14155550100,%2B4930123456'],
      ['domain', 'acme.com,example.org'],
    ] as const) {
      expect(Object.keys(await refusedInAddress(api(), 'tasks', has(kind, `=${list}`)))).toEqual([
        path(kind, '$has_any.0'),
      ])
    }
  })

  it.each(kinds)('%s takes a list of texts in a body', async (kind) => {
    for (const operand of ['x', 7, null, {}, [], [7], [null], [['x']]]) {
      const filter = { custom_fields: { [codeOf(kind)]: { $has_any: operand } } }
      const at = Array.isArray(operand) && operand.length > 0 ? '$has_any.0' : '$has_any'
      expect(Object.keys(await refusedInBody(api(), 'tasks', filter))).toEqual([path(kind, at)])
    }
  })
})
