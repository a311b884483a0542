import { describe, expect, it } from 'vitest'
import { fileIn, hasOwnPicturesOnly, isPicture, markdownOf } from './file-links.ts'

const origin = 'https://crm.example.com'
const id = '01kb8x2m4n6p8q0r2s4t6v8w0x'
const address = `${origin}/acme/files/${id}`
const attributes = {
  name: 'offer.pdf',
  content_type: 'application/pdf',
  size: 1,
  sha256: '',
  resource: 'notes',
  record_id: id,
  created_at: '',
  updated_at: '',
  creator_id: null,
}

describe('the address of a file', () => {
  it('leads back to it, whatever the workspace is called now', () => {
    expect(fileIn(address, origin)).toBe(id)
    expect(fileIn(address.replace('acme', 'acme-2'), origin)).toBe(id)
  })

  it.each([
    `https://evil.example.com/acme/files/${id}`,
    `${origin}/acme/files/${id}/content`,
    `${origin}/acme/files/`,
    `/acme/files/${id}`,
    'no address',
  ])('is not %s', (other) => {
    expect(fileIn(other, origin)).toBeUndefined()
  })
})

describe('a file in a text', () => {
  it.each([
    ['image/png', 'a.png', `![a.png](${address})`],
    ['IMAGE/JPEG; q=1', 'a.jpg', `![a.jpg](${address})`],
    ['image/svg+xml', 'a.svg', `[a.svg](${address})`],
    ['text/html', 'a [1].html', `[a \\[1\\].html](${address})`],
  ])('of the type %s is %s: %s', (content_type, name, written) => {
    const file = { type: 'files' as const, id, attributes: { ...attributes, name, content_type } }
    expect(markdownOf(file, 'acme', origin)).toBe(written)
  })

  it.each(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])(
    'of the type %s is a picture',
    (type) => {
      expect(isPicture(type)).toBe(true)
    },
  )

  it('can be edited unless there are pictures of others', () => {
    expect(hasOwnPicturesOnly(`Text ![a \\] b](${address}) and [a link](https://example.com)`, origin)).toBe(true)
    expect(hasOwnPicturesOnly(`![a](${address}) ![b](https://example.com/b.png)`, origin)).toBe(false)
    expect(hasOwnPicturesOnly('![a][reference]', origin)).toBe(false)
  })
})
