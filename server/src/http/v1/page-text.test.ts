import { pageDocumentMeta } from '@kith/contract/page-links'
import { describe, expect, it } from 'vitest'
import { writePageMeta } from './page-text.ts'

describe('the text of links and meta says what the objects say', () => {
  const path = 'http://localhost:3000/api/v1/companies'
  const addresses = [`${path}?`, `${path}?filter%5Bname%5D=%22a%22&`, 'http://"odd"\\host/ä?']
  const sizes = [0, 1, 14, 15, 16, 195, 196, 210, 1000, 1_000_000]

  it.each(sizes)('of %d records', (total) => {
    for (const address of addresses) {
      for (const per_page of [1, 15, 100]) {
        for (const page of [1, 2, 5, 7, 8, 13, 14, 20, 60, 66, 67, 666_667]) {
          const count = Math.max(0, Math.min(per_page, total - (page - 1) * per_page))
          const urlOf = (number: number) => `${address}page=${number}`
          const { links, meta } = pageDocumentMeta({ page, per_page, total, count, path, urlOf })
          const text = writePageMeta({ page, per_page, total, count, path, before: `${address}page=` })
          expect(text).toEqual({ links: JSON.stringify(links), meta: JSON.stringify(meta) })
        }
      }
    }
  })
})
