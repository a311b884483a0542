import { describe, expect, it } from 'vitest'
import { aField } from './field-types/test-field.ts'
import { matchKeyOf } from './match-key.ts'

describe('matchKeyOf', () => {
  it.each([
    ['text', ' Acme GmbH ', 'acme gmbh'],
    ['tags-input', 'VIP', 'vip'],
    ['email', ' Ada@Example.COM', 'ada@example.com'],
    ['phone', '00 1 (415) 555-0100', '+14155550100'],
    ['link', 'HTTPS://Example.com/About/', 'example.com/about'],
    ['domain', 'https://WWW.Example.com/x', 'example.com'],
  ] as const)('of a %s %j is %s', (type, value, key) => {
    expect(matchKeyOf(aField(type, { multiple: false }), value)).toBe(key)
  })

  it.each([
    ['text', '  '],
    ['text', 'x'.repeat(256)],
    ['text', 'a\0'],
    ['tags-input', ''],
    ['email', 'no address'],
    ['phone', '415 555 0100'],
    ['link', 'mailto:a@example.com'],
    ['domain', 'nothing'],
    ['number', '5'],
    ['select', 'x'],
  ] as const)('of a %s is not %j', (type, value) => {
    expect(matchKeyOf(aField(type), value)).toBeUndefined()
  })
})
