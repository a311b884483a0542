import { expect, it } from 'vitest'
import { seal, unseal } from './sealed.ts'

const sealing = { secret: 'x'.repeat(32), use: 'webhook 1' }

it('opens what it has sealed, and never seals a text twice in the same way', () => {
  const one = seal(sealing, 'whsec_ä')
  expect(one).not.toContain('whsec')
  expect(seal(sealing, 'whsec_ä')).not.toBe(one)
  expect(unseal(sealing, one)).toBe('whsec_ä')
})

it('opens nothing for another use, with another secret, or that was changed', () => {
  const sealed = seal(sealing, 'whsec_a')
  const bytes = Buffer.from(sealed, 'base64')
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  expect(unseal({ ...sealing, use: 'webhook 2' }, sealed)).toBeUndefined()
  expect(unseal({ ...sealing, secret: 'y'.repeat(32) }, sealed)).toBeUndefined()
  expect(unseal(sealing, bytes.toString('base64'))).toBeUndefined()
  expect(unseal(sealing, 'short')).toBeUndefined()
})
