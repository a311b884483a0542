import { isFieldCode as isCode } from '@kith/contract/field-definition'
import { describe, expect, test } from 'vitest'
import { codeFor } from './options.ts'

describe('the code of a field', () => {
  test.each([
    ['Job title', 'job_title'],
    ['  LinkedIn  URL! ', 'linkedin_url'],
    ['Größe', 'grosse'],
    ['Straße', 'strasse'],
    ['Ærø & Łódź', 'aero_lodz'],
    ['Crème brûlée', 'creme_brulee'],
    ["Owner's e-mail", 'owners_e_mail'],
    ['İstanbul ofisi', 'istanbul_ofisi'],
    ['2nd phone', 'field_2nd_phone'],
    ['電話', 'field'],
    ['№ 5', 'no_5'],
    ['__proto__', 'proto'],
    ['%', 'field'],
  ])('%s → %s', (name, code) => {
    expect(codeFor(name, new Set())).toBe(code)
    expect(isCode(code)).toBe(true)
  })

  test('is made unique by a number', () => {
    expect(codeFor('Size', new Set(['size']))).toBe('size_2')
    expect(codeFor('Size', new Set(['size', 'size_2', 'size_3']))).toBe('size_4')
  })

  test('has at most 50 characters, the number included', () => {
    const name = `${'x'.repeat(47)} yz and more`
    const code = codeFor(name, new Set())
    expect(code).toBe(`${'x'.repeat(47)}_yz`)
    expect(codeFor(name, new Set([code]))).toBe(`${'x'.repeat(47)}_2`)
    expect(codeFor('y'.repeat(60), new Set(['y'.repeat(50)]))).toBe(`${'y'.repeat(48)}_2`)
  })

  test.each(['', 'A', 'a-b', '1a', '_a', 'a b', 'é', 'a\n', 'a'.repeat(51)])('cannot be %j', (text) => {
    expect(isCode(text)).toBe(false)
  })
})
