import type { Chance } from '../../src/sample/chance.ts'

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
  '',
  ' ',
  '.',
  '..',
  '$',
  '$eq',
  '$where',
  'custom_fields',
  'custom_fields.__proto__',
  'id',
  'workspace_id',
  'creator_id',
  'deleted_at',
  'filter',
  'match',
  '*',
  '%',
  '_',
  "'",
  '"',
  '`',
  ';',
  'name; drop table companies',
  '0',
  '-1',
  'null',
  'undefined',
  'length',
  '\u0000',
  '\ud800',
  '\uffff',
  '\u202e',
  'ﬁ',
  'İ',
  '🦊',
]

const TEXTS = [
  ...NAMES,
  "' or 1=1 --",
  '"; select 1; --',
  '%s%n',
  '{{7*7}}',
  '#{7*7}',
  '<script>alert(1)</script>',
  'javascript:alert(1)',
  '=cmd|x',
  '../../etc/passwd',
  '2026-02-30',
  '2026-11-14T25:00:00Z',
  '0000-00-00',
  '+99999-01-01',
  '-271821-04-20T00:00:00Z',
  'NaN',
  'Infinity',
  '-0',
  '1e309',
  '0x10',
  '1_000',
  '١٢٣',
  '+1 415 555 0100',
  '+000000',
  'a@b',
  'a@[127.0.0.1]',
  `${'a'.repeat(70)}@x.example`,
  'http://[::1]:99999/',
  'https://user:pass@x.example',
  'ftp://x',
  'http://%zz',
  'xn--',
  'xn--a',
  '⒈.com',
  'a'.repeat(256),
  'é'.repeat(300),
  '🦊'.repeat(200),
  ' '.repeat(300),
  '\t\r\n',
  '\u0000',
  'a\u0000b',
  '\ud83d',
  '\udc00',
  'Z̸̨'.repeat(50),
  'ß',
  'ẞ',
  'ΑΣ',
  '\u00a0',
  '\ufeff',
  '\u2028',
]

const NUMBERS = [
  '0',
  '-0',
  '1e309',
  '-1e309',
  '1e-400',
  '9007199254740993',
  '-9007199254740993',
  '123456789012345678901234567890',
  '0.1',
  '1.005',
  '1e21',
  '1e-7',
  '-1',
  '2147483648',
  '9223372036854775808',
  '0.30000000000000004',
]

export function nastyName(chance: Chance): string {
  return chance.pick(NAMES)
}

export function nastyText(chance: Chance): string {
  if (chance.oneIn(40)) return chance.pick(TEXTS).repeat(1 + chance.below(200))
  if (chance.oneIn(4))
    return Array.from({ length: 1 + chance.below(12) }, () => String.fromCodePoint(codePoint(chance))).join('')
  return chance.pick(TEXTS)
}

function codePoint(chance: Chance): number {
  return chance.pick([
    chance.below(0x20),
    0x20 + chance.below(0x60),
    chance.below(0x800),
    chance.below(0x10000),
    0x10000 + chance.below(0x10000),
  ])
}

/** JSON text of any kind, valid as JSON most of the time. */
export function nastyJson(chance: Chance, depth = 0): string {
  const kind = chance.below(depth > 4 ? 6 : 10)
  if (kind === 0) return 'null'
  if (kind === 1) return chance.pick(['true', 'false'])
  if (kind === 2) return chance.pick(NUMBERS)
  if (kind <= 5) return jsonText(chance, nastyText(chance))
  if (kind === 6) return `[${Array.from({ length: chance.below(4) }, () => nastyJson(chance, depth + 1)).join(',')}]`
  if (kind === 7 && chance.oneIn(8)) return deep(chance)
  const keys = Array.from({ length: chance.below(4) }, () => nastyName(chance))
  return `{${keys.map((key) => `${JSON.stringify(key)}:${nastyJson(chance, depth + 1)}`).join(',')}}`
}

/** A string in JSON, now and then with the escapes that say the same. */
function jsonText(chance: Chance, text: string): string {
  if (!chance.oneIn(5)) return JSON.stringify(text)
  return `"${[...text].map((one) => (one.length === 1 ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : one)).join('')}"`
}

function deep(chance: Chance): string {
  const levels = chance.pick([5, 50, 1000, 20_000])
  const [open, close] = chance.pick([
    ['[', ']'],
    ['{"$not":', '}'],
    ['{"$and":[', ']}'],
    ['{"company":', '}'],
  ])
  return `${open.repeat(levels)}null${close.repeat(levels)}`
}
