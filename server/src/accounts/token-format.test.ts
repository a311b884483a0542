import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashToken, kindOfToken, newToken } from './tokens.ts'

test('a token is kith_, 40 letters and digits, and a checksum of 6', () => {
  const token = newToken()
  expect(token).toMatch(/^kith_[0-9A-Za-z]{46}$/)
  expect(kindOfToken(token)).toBe('personal')
})

test('the checksum is the CRC-32 of all before it, in base 62 and padded', () => {
  expect(kindOfToken(`kith_${'0'.repeat(40)}0QR0My`)).toBe('personal')
})

test('no two tokens are alike', () => {
  expect(new Set(Array.from({ length: 1000 }, newToken)).size).toBe(1000)
})

test('every character is as likely as any other', () => {
  const counts = new Map<string, number>()
  for (let i = 0; i < 2000; i++) {
    for (const character of newToken().slice(5, 45)) counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  expect(counts.size).toBe(62)
  // 80,000 characters make about 1290 of each; seven standard deviations are about 250.
  for (const count of counts.values()) expect(Math.abs(count - 1290)).toBeLessThan(250)
})

test('any slip of one character is detected', () => {
  const token = newToken()
  for (let i = 0; i < token.length; i++) {
    const other = token[i] === 'x' ? 'y' : 'x'
    expect(kindOfToken(token.slice(0, i) + other + token.slice(i + 1))).toBeUndefined()
  }
})

test.each([['', 'kith_', 'kith_abc', ' ']])('%j is no token', (text) => {
  expect(kindOfToken(text)).toBeUndefined()
})

test('surrounding text makes it no token', () => {
  const token = newToken()
  for (const text of [`${token}\n`, ` ${token}`, `${token}a`, token.toUpperCase()])
    expect(kindOfToken(text)).toBeUndefined()
})

test('the hash is the SHA-256 in hexadecimal', () => {
  expect(hashToken('kith_x')).toBe(createHash('sha256').update('kith_x').digest('hex'))
})
